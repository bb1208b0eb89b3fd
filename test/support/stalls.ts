const tickMs = 20
/** Shorter delays come from a busy process, not from a machine that stands still. */
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
 * A clock in milliseconds that pauses while this process is paused. A shared machine may stop for seconds, and no
 * service can answer then.
 */
export function runningMs(): number {
  return performance.now() - stoodStillMs - gapMs()
}
