import { hash } from 'node:crypto'
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** All that the console is made from. */
const ingredients = [
  'console/{src,public}/**',
  'console/*.{html,ts,json}',
  '{sdk,contract}/src/**/*.ts',
  'package-lock.json',
]

/** What the console would be made from now: told by sizes and times, since nobody waits for a reading. */
export function drawStamp(repository: string): string {
  const lines = globSync(ingredients, { cwd: repository, exclude: ['**/*.test.ts'] })
    .sort()
    .flatMap((name) => {
      const facts = statSync(join(repository, name))
      return facts.isFile() ? [`${name} ${facts.size} ${facts.mtimeMs}`] : []
    })
  return hash('sha256', lines.join('\n'), 'hex')
}

const stampOf = (folder: string) => join(folder, '.built')

/** What the console that is there was made from. */
export function findStamp(folder: string): string | undefined {
  try {
    return readFileSync(stampOf(folder), 'utf8')
  } catch {
    return undefined
  }
}

export const keepStamp = (folder: string, stamp: string): void =>
  writeFileSync(stampOf(folder), stamp)
