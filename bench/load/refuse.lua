-- One abusive client: repeats the same address and body. Argument: the body.
function init(args)
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  wrk.headers["X-Forwarded-For"] = "192.0.2.1"
  wrk.body = args[1]
  refused = wrk.format()
end

function request()
  return refused
end

dofile("report.lua")
