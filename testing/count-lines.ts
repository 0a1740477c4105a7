import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parseSync } from 'oxc-parser'

/**
 * npm run lines [-- COMMIT]
 *
 * Counts lines of code without comments and blank lines: of the product, and of tests with what only they
 * use. With a commit, also the difference from it.
 */
const [commit] = process.argv.slice(2)
const git = (...args: string[]) =>
  execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 28 })

const isTest = (path: string) =>
  /^(testing|bench)\//.test(path) ||
  /\/testing\/|\.(test|browser|backend|compute)\.tsx?$/.test(path)

function countLines(path: string, text: string): number {
  const { comments } = parseSync(path, text)
  let code = text
  for (const { start, end } of comments.toReversed()) {
    code = code.slice(0, start) + code.slice(start, end).replaceAll(/[^\n]/g, ' ') + code.slice(end)
  }
  return code.split('\n').filter((line) => line.trim() !== '').length
}

function count(paths: readonly string[], read: (path: string) => string) {
  const counted = paths
    .filter((path) => /\.(ts|tsx|js|mjs)$/.test(path))
    .map((path) => ({ isTest: isTest(path), lines: countLines(path, read(path)) }))
  const sum = (wanted: boolean) => {
    const some = counted.filter((each) => each.isTest === wanted)
    return { files: some.length, lines: some.reduce((total, { lines }) => total + lines, 0) }
  }
  return { product: sum(false), tests: sum(true) }
}

const pathsOf = (output: string) => output.split('\n').filter((path) => path !== '')
const now = count(pathsOf(git('ls-files')), (path) => readFileSync(path, 'utf8'))
const before =
  commit === undefined
    ? undefined
    : count(pathsOf(git('ls-tree', '-r', '--name-only', commit)), (path) =>
        git('show', `${commit}:${path}`),
      )
for (const part of ['product', 'tests'] as const) {
  const { files, lines } = now[part]
  const earlier = before?.[part].lines
  const change = lines - (earlier ?? lines)
  const percent = ((change / (earlier ?? lines)) * 100).toFixed(1)
  const since =
    earlier === undefined
      ? ''
      : `, ${change < 0 ? '' : '+'}${change} (${percent} %) since ${commit}`
  process.stdout.write(`${part}: ${lines} lines in ${files} files${since}\n`)
}
