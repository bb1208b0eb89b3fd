-- One submission per request, each with a new client address and unique content, so that neither the limit nor the duplicate check answers.
-- Arguments: the number of the first client, and the parts of the body before and after the quote.
local first, before, after

function init(args)
  first, before, after = tonumber(args[1]), args[2] or "", args[3] or ""
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
end

function request()
  local n = first
  first = first + 1
  wrk.headers["X-Forwarded-For"] = string.format("10.%d.%d.%d", n / 65536 % 256, n / 256 % 256, n % 256)
  local body = string.format(
    '%s{"name":"Customer %08d","phone":"2025550123","email":"customer.%08d@example.com","bedrooms":"3","bathrooms":"2.5",'
      .. '"service":"Deep cleaning","notes":"Visit %08d. Two cats and one dog, wooden floors on both storeys, keys are with the neighbour.",'
      .. '"communicationsConsent":true,"consentTimestamp":"2026-11-20T10:00:00Z","pageUrl":"https://www.example.com/quote"}%s',
    before, n, n, n, after)
  return wrk.format(nil, nil, nil, body)
end

dofile("report.lua")
