-- One abusive client: the same address and the same body again and again. Arguments: the body.
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
