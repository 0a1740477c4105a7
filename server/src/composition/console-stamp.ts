import { hash } from 'node:crypto'
import { chmodSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files that the console is built from. */
const inputs = [
  'console/{src,public}/**',
  'console/*.{html,ts,json}',
  '{sdk,contract}/src/**/*.ts',
  'package-lock.json',
]

/** A hash of the input files' sizes and times, which is faster than reading the files. */
export function computeStamp(repository: string): string {
  const lines = globSync(inputs, { cwd: repository, exclude: ['**/*.test.ts'] })
    .sort()
    .flatMap((name) => {
      const stats = statSync(join(repository, name))
      return stats.isFile() ? [`${name} ${stats.size} ${stats.mtimeMs}`] : []
    })
  return hash('sha256', lines.join('\n'), 'hex')
}

const stampOf = (folder: string) => join(folder, '.built')

/** The stamp of the existing build; undefined if there is none. */
export function readStamp(folder: string): string | undefined {
  try {
    return readFileSync(stampOf(folder), 'utf8')
  } catch {
    return undefined
  }
}

export function writeStamp(folder: string, stamp: string): void {
  writeFileSync(stampOf(folder), stamp)
  // A server of another user reads it, whatever the umask of this process.
  chmodSync(stampOf(folder), 0o644)
}
