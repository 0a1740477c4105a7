#!/usr/bin/env node
// Old versions of Node must be able to read this file, to start the Node that comes with the package.
import { spawn } from 'node:child_process'
import module, { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const oldest = 24

if (Number.parseInt(process.versions.node, 10) >= oldest) {
  // Commands start in half of the time. In the user's own folder: what is run must not be others' to write.
  if (process.argv[2] !== 'serve') {
    const { XDG_CACHE_HOME: cache = join(homedir(), '.cache') } = process.env
    module.enableCompileCache(join(cache, 'muster', 'compiled'))
  }
  void import(new URL('lib/main.mjs', import.meta.url).href)
} else {
  const node = findNode()
  if (node === undefined) {
    process.stderr.write(
      `muster: needs Node ${oldest} or newer, and this is ${process.versions.node}\n`,
    )
    process.exit(2)
  }
  const args = [...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  // Through the channel the server learns that this process was killed, and stops.
  const child = spawn(node, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2']
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    process.stderr.write(`muster: ${error.message}\n`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    for (const name of signals) process.removeAllListeners(name)
    if (signal === null) process.exit(code ?? 1)
    process.kill(process.pid, signal)
  })
}

/** @returns {string | undefined} */
function findNode() {
  const require = createRequire(import.meta.url)
  const system = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  for (const name of [`node-${system}`, `node-bin-${system}`]) {
    try {
      const manifest = `${name}/package.json`
      return join(dirname(require.resolve(manifest)), require(manifest).bin.node)
    } catch {
      // Not installed under this name.
    }
  }
  return undefined
}
