const tickMs = 20
/** Shorter waits are those of a busy process, not of a machine that stands still. */
const stallMs = 100

let stoodStillMs = 0
let lastMs = performance.now()

function gapMs(): number {
  const gap = performance.now() - lastMs - tickMs
  return gap > stallMs ? gap : 0
}

setInterval(() => {
  stoodStillMs += gapMs()
  lastMs = performance.now()
}, tickMs).unref()

/**
 * A clock in milliseconds that stands still while this process does: a shared machine may stop for seconds, and no service
 * answers meanwhile.
 */
export function runningMs(): number {
  return performance.now() - stoodStillMs - gapMs()
}
