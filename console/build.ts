import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'vite'

/** Builds the console into `dist`, with a compressed copy of each text file, so that requests need no compression. */
const dist = join(import.meta.dirname, 'dist')

await build({ configFile: join(import.meta.dirname, 'vite.config.ts'), logLevel: 'warn' })

const texts = globSync('**/*.{html,js,css,svg}', { cwd: dist })
await Promise.all(
  texts.map(async (name) => {
    const path = join(dist, name)
    const bytes = readFileSync(path)
    const [small, smaller] = await Promise.all([
      promisify(gzip)(bytes, { level: 9 }),
      promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }),
    ])
    writeFileSync(`${path}.gz`, small)
    writeFileSync(`${path}.br`, smaller)
  }),
)
