import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** The fields of /proc/PID/stat (proc_pid_stat(5)) from the third on, because the second may contain spaces. */
function readStat(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    // The process has ended, and its parent has its CPU time.
    return undefined
  }
}

/** All processes with their parents and the ticks that they and their ended children have used. */
function readProcesses(): Map<number, { parent: number; ticks: number }> {
  const processes = new Map<number, { parent: number; ticks: number }>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    const stat = Number.isInteger(pid) ? readStat(pid) : undefined
    if (stat === undefined) continue
    // utime, stime, cutime and cstime are fields 14 to 17.
    const ticks = stat.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    processes.set(pid, { parent: Number(stat[1]), ticks })
  }
  return processes
}

/** The CPU seconds used so far by each process and all its descendants, including ended ones. */
export function cpuSeconds<Name extends string>(roots: Readonly<Record<Name, number>>): Record<Name, number> {
  const processes = readProcesses()
  const isUnder = (pid: number, root: number): boolean =>
    pid === root || (processes.has(pid) && isUnder(processes.get(pid)?.parent ?? 0, root))
  const seconds = {} as Record<Name, number>
  for (const name in roots) {
    let ticks = 0
    for (const [pid, process] of processes) if (isUnder(pid, roots[name])) ticks += process.ticks
    seconds[name] = ticks / ticksPerSecond
  }
  return seconds
}

/** The resident memory of a process, in MiB. */
export function residentMebibytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
}
