#!/usr/bin/env node
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const oldest = 24
const [major = 0] = process.versions.node.split('.').map(Number)

if (major < oldest) {
  process.stderr.write(
    `muster: needs Node ${oldest} or newer, and this is ${process.versions.node}; "npm start" brings its own\n`,
  )
  process.exit(2)
}

// Beside the code, not in the folder for temporary files: what is run must not be others' to write.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/muster', import.meta.url)))
await import('./src/main.ts')
