// `node scripts/node.cjs [OPTION…] FILE [ARGUMENT…]`: as `node`, with a Node that this project runs on. If the one that
// runs this is too old, it is the one that the package manager installed (`optionalDependencies`), found here and not
// in `node_modules/.bin`: some versions of npm link none there. Plain CommonJS, so that an old Node can read it. In
// package.json, `exec` replaces the shell, which would keep npm's signals to itself; cmd.exe has none, hence the `||`.
const { spawn, spawnSync } = require('node:child_process')
const { constants } = require('node:os')
const { delimiter, dirname, join, resolve } = require('node:path')
const { pathToFileURL } = require('node:url')
const { engines, optionalDependencies } = require('../package.json')

const required = engines.node.replace('>=', '')

/** Whether a version, such as `v26.10.0`, is the required one or a later one. */
function isNewEnough(version) {
  return version.localeCompare(`v${required}`, 'en', { numeric: true }) >= 0
}

/** The path of a Node that was installed for this platform and runs on it: that for Linux does not run with musl. */
function findInstalled() {
  for (const name of Object.keys(optionalDependencies)) {
    try {
      const manifest = require.resolve(`${name}/package.json`)
      const path = join(dirname(manifest), require(manifest).bin.node)
      if (isNewEnough(spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout)) return path
    } catch {
      // Not installed, or it does not run.
    }
  }
}

/** Calls `end` once npm, which started this, is gone. npm passes on SIGINT and SIGTERM, but a SIGHUP ends npm alone. */
function watchNpm(end) {
  if (!process.env.npm_lifecycle_event) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    end()
  }, 500).unref()
}

/** Runs another program: passes signals on to it, and ends as it does. */
function runProgram(program, args) {
  const child = spawn(program, args, { stdio: 'inherit' })
  // On Windows, Ctrl-C reaches both, and to send a signal is to kill.
  const pass = process.platform === 'win32' ? () => {} : (signal) => child.kill(signal)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, pass)
  watchNpm(() => child.kill())
  child.on('exit', (code, signal) => process.exit(code === null ? 128 + constants.signals[signal] : code))
}

const args = process.argv.slice(2)
const isOption = args[0].startsWith('-')
if (isNewEnough(process.version) && !isOption) {
  watchNpm(() => process.kill(process.pid, 'SIGTERM'))
  process.argv.splice(1, 2, resolve(args[0]))
  import(pathToFileURL(process.argv[1]))
} else if (isNewEnough(process.version)) {
  runProgram(process.execPath, args)
} else {
  const program = findInstalled()
  if (program === undefined) {
    console.error(
      `Lead Intake needs Node ${required} or newer, and this is ${process.version}: run \`npm ci\`, which brings one for Linux (glibc), macOS and 64-bit Windows, or install one from your system, as on Alpine Linux (musl).`,
    )
    process.exit(1)
  }
  // Programs that it starts find the same Node.
  process.env.PATH = dirname(program) + delimiter + process.env.PATH
  runProgram(program, args)
}
