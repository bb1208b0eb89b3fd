-- Repeats one GET request.
dofile("report.lua")
