-- The first argument is the rate, in requests a second; 0 is as fast as the server answers. Without more arguments:
-- repeats one GET request. With a body: one abusive client repeats it. With the number of the first client and a template
-- of the body: submissions, each with a new client address and content, so that neither the limit nor the duplicate check
-- answers.
local ffi = require("ffi")
ffi.cdef("typedef struct { long s; long ns; } timespec_t; int clock_gettime(int clock, timespec_t *time);")
local time = ffi.new("timespec_t")
local function now_ms()
  ffi.C.clock_gettime(1, time)
  return tonumber(time.s) * 1000 + tonumber(time.ns) / 1e6
end

function init(args)
  local rate = tonumber(table.remove(args, 1))
  if rate > 0 then
    local next_ms = now_ms()
    -- The pause before the next request of whichever connection is free. A late request has none.
    function delay()
      next_ms = next_ms + 1000 / rate
      return math.max(0, math.floor(next_ms - now_ms() + 0.5))
    end
  end
  if args[1] == nil then return end
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  wrk.headers["X-Forwarded-For"] = "192.0.2.1"
  wrk.body = args[1]
  if args[2] == nil then return end
  local next, template = tonumber(args[1]), args[2]
  function request()
    local n = next
    next = next + 1
    wrk.headers["X-Forwarded-For"] = string.format("10.%d.%d.%d", n / 65536 % 256, n / 256 % 256, n % 256)
    return wrk.format(nil, nil, nil, string.format(template, n, n, n))
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
