// `node scripts/node.cjs [OPTION…] FILE [ARGUMENT…]`: what `node` does, with a Node that this project runs on. If the one
// that runs this is too old, it is the one that the package manager installed (`optionalDependencies`), found here and not
// in `node_modules/.bin`: some versions of npm link none there. Plain CommonJS, so that an old Node can read it.
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

/** The path of a Node that was installed for this platform and runs on it: the package for Linux does not, with musl. */
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

/** Becomes another program, or where Node cannot do that, runs it: passes signals on to it, and ends as it does. */
function become(program, args) {
  if (process.execve) process.execve(program, [program, ...args])
  const child = spawn(program, args, { stdio: 'inherit' })
  // On Windows, Ctrl-C reaches both, and to send a signal is to kill.
  const pass = process.platform === 'win32' ? () => {} : (signal) => child.kill(signal)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, pass)
  child.on('exit', (code, signal) => process.exit(code === null ? 128 + constants.signals[signal] : code))
}

const args = process.argv.slice(2)
const isOption = args[0].startsWith('-')
if (isNewEnough(process.version) && !isOption) {
  process.argv.splice(1, 2, resolve(args[0]))
  import(pathToFileURL(process.argv[1]))
} else if (isNewEnough(process.version)) {
  become(process.execPath, args)
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
  become(program, args)
}
