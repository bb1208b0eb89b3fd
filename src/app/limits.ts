import type { Config } from '../config/config.ts'
import { openLimiter } from '../limit/limiter.ts'
import type { Limiter } from '../limit/policy.ts'
import type { Logger } from '../ops/log.ts'
import type { Metrics } from '../ops/metrics.ts'

/** Connects to Redis if it is configured, and opens the limiter. Resolves even if Redis is unavailable. */
export async function openLimits(config: Config, log: Logger, metrics: Metrics) {
  let trouble: string | undefined
  /** The reasons that the log has given for the current outage. */
  const reasons = new Set<string>()
  // Loaded on demand: a start without Redis should not spend time on the driver.
  const redis = config.redis && (await import('../limit/redis-connection.ts')).createRedisConnection(config.redis)
  const limiter = await openLimiter({
    policy: config.ratePolicy,
    redis,
    replicas: config.replicas,
    secret: config.rateLimitSecret,
    events: {
      onDecision: metrics.onDecision,
      onProbeFailure(cause) {
        const reason = describeCause(cause)
        trouble = `limiter: ${reason}`
        // The first reason of an outage is often a broken connection. The lasting one, such as a changed password,
        // follows.
        if (reasons.has(reason)) return
        reasons.add(reason)
        log.warn({ mode: 'fallback', reason }, 'limiter still on fallback')
      },
      onModeChange(mode) {
        metrics.onLimiterMode(mode)
        reasons.clear()
        trouble = mode === 'fallback' ? 'limiter: Redis does not answer' : undefined
        log[mode === 'fallback' ? 'warn' : 'info']({ mode }, limiterEvents[mode])
      },
    },
  })
  return {
    limiter,
    /** The connection, for the replica reports. Undefined: Redis is not configured. */
    redis,
    /** Why the limiter runs on its fallback. Undefined: it does not. */
    trouble: () => trouble,
  }
}

const limiterEvents: Record<Limiter['mode'], string> = {
  shared: 'limiter shared',
  fallback: 'limiter on fallback',
  local: 'limiter local',
}

/** The error messages of Redis and the driver. They contain nothing about a customer. */
function describeCause({ message, cause }: Error): string {
  return cause instanceof Error && cause.message !== message ? `${message}: ${cause.message}` : message
}
