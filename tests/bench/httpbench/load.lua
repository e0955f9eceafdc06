-- For wrk: sends `depth` requests per write and ends with one line that parse.py reads.
-- With "varied" behind it no two requests are alike. Without either no request() is defined: wrk
-- then formats the request once.

local depth

function init(args)
  depth = tonumber(args[1]) or 1
  if depth > 1 then
    local batch = string.rep(wrk.format(), depth)
    request = function() return batch end
  elseif args[2] == "varied" then
    local count = 0
    request = function()
      count = count + 1
      return wrk.format(nil, wrk.path .. "?n=" .. count)
    end
  end
end

function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    "httpbench requests=%.0f bytes=%.0f duration_us=%.0f errors=%.0f p50_us=%.0f p99_us=%.0f\n",
    summary.requests, summary.bytes, summary.duration,
    e.connect + e.read + e.write + e.status + e.timeout,
    latency:percentile(50), latency:percentile(99)))
end
