import { get } from '../support/http.ts'

/** The value of a metric with these labels, or 0 if it has none. */
export async function metricOf(opsUrl: string, name: string): Promise<number> {
  const { text } = await get(`${opsUrl}/metrics`)
  const line = text.split('\n').find((other) => other.startsWith(`${name} `))
  return Number(line?.slice(name.length + 1) ?? 0)
}
