import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { prepareDatabases } from '../../server/src/testing/engines.ts'
import { startPostgres } from '../postgres.ts'
import { runFiles } from '../runner/run-files.ts'
import { areaNames, listAreas, type Area } from './areas.ts'
import { createCoverageReader } from './coverage.ts'
import { equivalents } from './equivalents.ts'
import { findMutants, type Mutant } from './find-mutants.ts'
import { mutantVariable, type Replacement } from './replace-source.ts'

const help = `Makes small mistakes in the code, one at a time, and runs the tests of "npm test" that reach them.
A mistake that no test sees is a survivor.

  npm run mutate                               30 mutants of each area; writes testing/mutation/results.md
  npm run mutate -- --area tasks --sample 100  more of one area; changes its row of the results
  npm run mutate -- --file plan-steps          all mutants of the files whose path contains a word
  npm run mutate -- --file plan-steps.ts:27    those of one line
  npm run mutate -- --seed 7                   another sample
  npm run mutate -- --list --area egress       print the mutants, run nothing

  --area NAME     ${areaNames.join(', ')}; may be repeated
  --file WORD     mutants whose path and line contain the word; without --sample all of them
  --sample N      mutants per area (30)
  --seed N        chooses the sample (1)
  --budget N      seconds of tests that a mutant may take, at the usual speed of these tests (60)
`

const { values: options } = parseArgs({
  options: {
    area: { type: 'string', multiple: true, default: [] },
    file: { type: 'string', default: '' },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    budget: { type: 'string', default: '60' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (options.help) {
  process.stdout.write(help)
  process.exit()
}
const unknown = options.area.find((name) => !areaNames.includes(name as Area))
if (unknown !== undefined)
  throw new Error(`no area "${unknown}"; there are: ${areaNames.join(', ')}`)
const sample = Number(options.sample ?? (options.file === '' ? 30 : Infinity))

interface Sampled {
  readonly mutant: Mutant
  readonly area: Area
}

const sources = new Map<string, string>()
const sourceOf = (file: string) => sources.get(file) ?? ''
const lineOf = ({ file, line }: Mutant) => sourceOf(file).split('\n')[line - 1]?.trim() ?? ''
const before = ({ file, start, end }: Mutant) => sourceOf(file).slice(start, end)
const isEquivalent = (mutant: Mutant) =>
  equivalents.some(
    ({ file, code, mutation }) =>
      file === mutant.file &&
      lineOf(mutant).includes(code) &&
      mutation === `${before(mutant)} → ${mutant.text}`,
  )

/** Does not depend on positions, so that a change elsewhere leaves the sample as it is. */
const rankOf = (mutant: Mutant) =>
  createHash('sha256')
    .update([options.seed, mutant.file, lineOf(mutant), before(mutant), mutant.text].join('\0'))
    .digest('hex')

const chosen: Sampled[] = []
const tests = new Map<Area, ReadonlySet<string>>()
for (const { area, files, tests: ofArea } of listAreas()) {
  for (const file of files) sources.set(file, readFileSync(file, 'utf8'))
  if (options.area.length > 0 && !options.area.includes(area)) continue
  const mutants = files
    .flatMap((file) => findMutants(file, sourceOf(file)))
    .filter((mutant) => `${mutant.file}:${mutant.line}`.includes(options.file))
    .filter((mutant) => !isEquivalent(mutant))
    .map((mutant) => ({ mutant, area, rank: rankOf(mutant) }))
    .sort((one, other) => one.rank.localeCompare(other.rank))
  if (mutants.length > 0) tests.set(area, new Set(ofArea))
  chosen.push(...mutants.slice(0, sample))
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 100)
const show = (mutant: Mutant) =>
  `${mutant.file}:${mutant.line}  ${oneLine(before(mutant))} → ${oneLine(mutant.text)}\n    ${lineOf(mutant)}\n`

if (options.list) {
  for (const { mutant } of chosen) process.stdout.write(show(mutant))
  process.exit()
}

/** How many folders lie between a test and the code. */
const distance = (test: string, { file }: Mutant) =>
  basename(test, '.test.ts') === basename(file, '.ts')
    ? 0
    : relative(dirname(file), dirname(test)).split('/').length

/** Tests beside the code come first. Those that are far away are only measured for mutants that survive these. */
function groupTests({ mutant, area }: Sampled): readonly (readonly string[])[] {
  const groups = Map.groupBy(tests.get(area) ?? [], (test) => distance(test, mutant))
  return [...groups].sort(([one], [other]) => one - other).map(([, group]) => group)
}

process.env['TEST_LANE'] = 'test'
process.env['NODE_COMPILE_CACHE'] ??= resolve('node_modules/.cache/compile')
const folder = mkdtempSync(join(tmpdir(), 'muster-mutation-'))
const postgres = await startPostgres()
await prepareDatabases(postgres.url, folder)
// A worker that is ended leaves its files behind.
process.env['TMPDIR'] = folder
process.env['NODE_OPTIONS'] = `--import ${new URL('replace-source.ts', import.meta.url).href}`
const readCoverage = createCoverageReader(
  sources,
  new Set(chosen.map(({ mutant }) => mutant.file)),
  ({ test, seconds, isPassing }) => {
    const note = isPassing ? '' : ' fails without a mutant, so it is not used'
    process.stderr.write(`coverage of ${test}, ${seconds.toFixed(1)} s${note}\n`)
  },
)

/** The test that fails with the mutant. */
async function findKiller(sampled: Sampled): Promise<string | undefined> {
  const { file, start, end, text } = sampled.mutant
  let seconds = 0
  let killer: string | undefined
  for (const group of groupTests(sampled)) {
    const secondsOf = new Map<string, number>()
    for (const test of group) {
      const { isPassing, parts, seconds: own } = await readCoverage(test)
      const isReached = parts[file]?.some(([from, to]) => from <= start && start < to)
      if (!isPassing || !isReached || (seconds > 0 && seconds + own > Number(options.budget)))
        continue
      seconds += own
      secondsOf.set(resolve(test), own)
    }
    const url = pathToFileURL(file).href
    process.env[mutantVariable] = JSON.stringify({ url, start, end, text } satisfies Replacement)
    await runFiles({
      files: [...secondsOf.keys()].sort(
        (one, other) => (secondsOf.get(one) ?? 0) - (secondsOf.get(other) ?? 0),
      ),
      workers: 1,
      // A mutant may loop forever. The machine may be busy.
      fileTimeout: (test) => 60_000 + 20_000 * (secondsOf.get(test) ?? 0),
      stopsAtFailure: true,
      onResult: ({ file: test, failures: [failure] }) => {
        if (failure)
          killer = `${test}: ${failure.title.split(' › ').slice(1).join(' › ') || failure.error}`
      },
    })
    delete process.env[mutantVariable]
    if (killer !== undefined) break
  }
  return killer
}

const survivors: Sampled[] = []
for (const [index, sampled] of chosen.entries()) {
  const { mutant } = sampled
  const killer = await findKiller(sampled)
  if (killer === undefined) survivors.push(sampled)
  process.stderr.write(
    `${index + 1}/${chosen.length} ${killer === undefined ? 'SURVIVED' : `killed by ${killer}`}\n  ${show(mutant)}`,
  )
}
await postgres.stop()
rmSync(folder, { recursive: true, force: true })

/** A row for each area. Those of areas that did not run now stay as they are. */
const resultsFile = new URL('results.md', import.meta.url)
const earlier = existsSync(resultsFile) ? readFileSync(resultsFile, 'utf8').split('\n') : []
const today = new Date().toISOString().slice(0, 10)
const rows = areaNames.flatMap((area) => {
  const mutants = chosen.filter((one) => one.area === area).length
  const survived = survivors.filter((one) => one.area === area).length
  const percent = Math.floor((100 * (mutants - survived)) / mutants)
  const cells = [area, today, options.seed, mutants, mutants - survived, survived, `${percent} %`]
  return mutants > 0
    ? [`| ${cells.join(' | ')} |`]
    : earlier.filter((line) => line.startsWith(`| ${area} `))
})
const table = [
  '# Mutants',
  '',
  'Written by `npm run mutate`; see [testing](../../docs/testing.md#mutation-tests).',
  '',
  '| area | date | seed | mutants | killed | survived | killed |',
  '| ---- | ---- | ---- | ------- | ------ | -------- | ------ |',
  ...rows,
].join('\n')
process.stdout.write(`${table}\n\n${survivors.map(({ mutant }) => show(mutant)).join('')}`)
if (options.file === '') writeFileSync(resultsFile, `${table}\n`)
