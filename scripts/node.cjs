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

/** The path of the Node that was installed for this platform, or why there is none that runs on it. */
function findInstalled() {
  let trouble = 'run `npm ci`, which brings one for Linux (glibc), macOS and 64-bit Windows'
  for (const name of Object.keys(optionalDependencies)) {
    try {
      const manifest = require.resolve(`${name}/package.json`)
      const path = join(dirname(manifest), require(manifest).bin.node)
      const { stdout, stderr, error } = spawnSync(path, ['--version'], { encoding: 'utf8' })
      if (stdout && isNewEnough(stdout)) return { path }
      trouble = `the one that \`npm ci\` installed says "${(stderr || String(error)).trim()}": install what it needs (for libatomic, \`apt-get install libatomic1\`)`
    } catch {
      // Not installed.
    }
  }
  return { trouble }
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
  const { path, trouble } = findInstalled()
  if (path === undefined) {
    console.error(
      `Lead Intake needs Node ${required} or newer, and this is ${process.version}: ${trouble}, or install one from your system, as on Alpine Linux (musl).`,
    )
    process.exit(1)
  }
  // Programs that it starts find the same Node.
  process.env.PATH = dirname(path) + delimiter + process.env.PATH
  runProgram(path, args)
}
