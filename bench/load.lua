-- Without arguments: repeats one GET request. With a body: one abusive client repeats it. With the number of the first
-- client, and the parts of the body before and after the quote: submissions, each with a new client address and content,
-- so that neither the limit nor the duplicate check answers.
function init(args)
  if args[1] == nil then return end
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  wrk.headers["X-Forwarded-For"] = "192.0.2.1"
  wrk.body = args[1]
  if args[2] == nil then return end
  local next, before, after = tonumber(args[1]), args[2], args[3]
  function request()
    local n = next
    next = next + 1
    wrk.headers["X-Forwarded-For"] = string.format("10.%d.%d.%d", n / 65536 % 256, n / 256 % 256, n % 256)
    local body = string.format(
      '%s{"name":"Customer %08d","phone":"2025550123","email":"customer.%08d@example.com","bedrooms":"3","bathrooms":"2.5",'
        .. '"service":"Deep cleaning","notes":"Visit %08d. Two cats and one dog, wooden floors on both storeys, keys are with the neighbour.",'
        .. '"communicationsConsent":true,"consentTimestamp":"2026-11-20T10:00:00Z","pageUrl":"https://www.example.com/quote"}%s',
      before, n, n, n, after)
    return wrk.format(nil, nil, nil, body)
  end
end

-- Prints the results as one line of JSON. Times are in microseconds.
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"answers":%d,"duration":%d,"failed":%d,"broken":%d,"p50":%d,"p99":%d}\n',
    summary.requests, summary.duration, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
