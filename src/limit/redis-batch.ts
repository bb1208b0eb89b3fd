import { createDeadlines } from '../deadline.ts'
import type { RedisClient } from './redis-client.ts'

/**
 * Adds `ARGV[1]` requests (0 only reads) to the counter of each client (`KEYS`) and of its site, if any, in windows of
 * `ARGV[2]` seconds that start with the first request. Requests beyond the client's own limit (`ARGV[3]`) are not
 * counted for the site. The site's key is the client's key up to the end of the hash tag, so both are in the same slot
 * of a Cluster. Returns `used left[ siteUsed siteLeft]` for each key, joined with commas: one text, because the driver
 * reads that fastest.
 *
 * A key that would make its client fail or wait forever is repaired, so that nobody else's requests fail with it: one
 * without an expiry, or with one later than a window (restored, persisted, or written with another setting), gets a new
 * one; one with a foreign value is replaced (an expiry of 0 deletes it). Any other error concerns Redis as a whole.
 */
const script = `
local count = tonumber(ARGV[1])
local windowMs = ARGV[2] * 1000
local function isForeign(answer)
  if type(answer) == 'number' then return answer < count end
  if type(answer) ~= 'table' then return false end
  for _, cause in ipairs({'WRONGTYPE', 'not an integer', 'overflow'}) do
    if string.find(answer.err, cause, 1, true) then return true end
  end
  return false
end
local function add(key)
  local used = redis.pcall('incrby', key, count)
  if isForeign(used) then redis.call('expire', key, 0) elseif type(used) == 'number' then return used end
  return redis.call('incrby', key, count)
end
local function read(key)
  if isForeign(redis.pcall('get', key)) then return 0 end
  return math.max(0, tonumber(redis.call('get', key) or 0) or 0)
end
local function usage(key)
  local used = count > 0 and add(key) or read(key)
  local left = -1
  if used > count then left = redis.call('pttl', key) end
  if left < 0 or left > windowMs then
    if count > 0 then redis.call('expire', key, ARGV[2]) end
    left = windowMs
  end
  return used, string.format('%.0f %.0f', used, left)
end
local answers = {}
for at, key in ipairs(KEYS) do
  local used, answer = usage(key)
  local site = string.match(key, '^(.*})[%w_-]+$')
  if site and used <= tonumber(ARGV[3]) then
    local _, siteAnswer = usage(site)
    answer = answer .. ' ' .. siteAnswer
  end
  answers[at] = answer
end
return table.concat(answers, ',')`

/** Whether this is the script's answer for one key. */
const isUsage = (answer: string) => /^-?\d+ \d+(?: -?\d+ \d+)?$/.test(answer)

/** The driver's method for the script. Takes the keys and the arguments, on a single server after the number of keys. */
interface WithScript {
  countRequests(...numberKeysAndArguments: (number | string)[]): Promise<unknown>
}

/**
 * The maximum number of clients in one run of the script. A full batch is sent at once, so that Redis counts it while
 * this process handles the other requests of the turn. With 8, the additional commands cost more than that gains
 * (docs/decisions/measurements.md).
 */
const keysMax = 16

/** Requests of one event-loop turn with the same arguments, which are counted together. */
interface Batch {
  parameters: readonly string[]
  keys: string[]
  calls: { resolve(answer: string): void; reject(error: unknown): void }[]
}

/**
 * What the rate-limit library takes for its Redis client (`storeClient`): its script command, and whether it can be
 * sent. Counts up to 16 requests of an event-loop turn with one run of one script, which takes the driver and Redis half
 * the time of a run per request. Rejects when Redis takes longer than `deadlineMs`.
 */
export function createBatchedClient(client: RedisClient, deadlineMs: number) {
  // A Cluster's driver picks the node by the command's first argument, so that must be the key, not the number of keys.
  client.defineCommand('countRequests', { lua: script, ...(client.isCluster && { numberOfKeys: 1 }) })
  const { countRequests } = client as unknown as WithScript
  // Two timers in sequence. If the process stalls during the first one (a busy CPU, a long garbage collection), the
  // second one still leaves time to send the command and read the answer.
  const patience = createDeadlines(deadlineMs * 0.8)
  const lastChance = createDeadlines(deadlineMs * 0.2)
  // The keys of several clients are in several slots.
  let batchMax = client.isCluster ? 1 : keysMax
  let open: Batch[] = []

  function send({ parameters, keys, calls }: Batch): void {
    let deadline = patience.start(() => {
      deadline = lastChance.start(() => fail(new Error(`Redis did not answer within ${deadlineMs} ms`)))
    })
    function fail(error: unknown): void {
      deadline.cancel()
      // A proxy in front of several servers: count each client by itself from now on.
      if (error instanceof Error && error.message.includes('CROSSSLOT')) batchMax = 1
      for (const { reject } of calls) reject(error)
    }
    const numberOfKeys = client.isCluster ? [] : [keys.length]
    countRequests.call(client, ...numberOfKeys, ...keys, ...parameters).then((text: unknown) => {
      const answers = typeof text === 'string' ? text.split(',') : []
      if (answers.length !== calls.length || !answers.every(isUsage)) {
        // The following answers may belong to other commands too. A new connection begins in order.
        client.disconnect(true)
        fail(new Error('Redis sent the answer of another command. A proxy may have mixed up answers'))
        return
      }
      deadline.cancel()
      for (const [at, { resolve }] of calls.entries()) resolve(answers[at] as string)
    }, fail)
  }

  function sendAll(): void {
    const batches = open
    open = []
    for (const batch of batches) send(batch)
  }

  function add(key: string, parameters: readonly string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      let batch = open.findLast((other) => isSame(other.parameters, parameters))
      if (batch === undefined) {
        if (open.length === 0) setImmediate(sendAll)
        batch = { parameters, keys: [], calls: [] }
        open.push(batch)
      }
      batch.keys.push(key)
      batch.calls.push({ resolve, reject })
      if (batch.keys.length < batchMax) return
      open.splice(open.indexOf(batch), 1)
      send(batch)
    })
  }

  return {
    get status() {
      return client.status
    },
    /**
     * Resolves with the requests counted, and the rest of the answer as text in place of the milliseconds. The
     * arguments are a key, and those of the script.
     */
    rlflxIncr: ([key, ...parameters]: [key: string, ...parameters: string[]]) =>
      add(key, parameters).then((answer) => {
        const end = answer.indexOf(' ')
        return [answer.slice(0, end), answer.slice(end + 1)]
      }),
  }
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.every((text, at) => text === others[at])
}
