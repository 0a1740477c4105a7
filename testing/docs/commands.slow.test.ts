import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { isSlowLane } from '../../server/src/testing/lanes.ts'
import {
  readWelcome,
  repository,
  spawnProcess,
  suiteLifetime,
  temporaryFolder,
} from '../../server/src/testing/spawn-muster.ts'
import { readPages } from './read-page.ts'
import { startRecordingProxy, type Exchange } from './recording-proxy.ts'

const pages = readPages()

/** Languages that are not run: interactive or remote sessions, and contents of files. */
const shown = new Set([
  'console',
  'ini',
  'json',
  'mermaid',
  'nginx',
  'python',
  'text',
  'toml',
  'ts',
  'yaml',
])

/** Commands that start Muster, the tests or a tool: not part of a page's script. */
const isTool = (line: string) =>
  /^(?:[A-Z_]+='[^']*' )?npm (?:ci|start|test|run(?! (?:-s )?muster))\b/.test(line) &&
  !line.includes('--help')

const shellLines = (page: (typeof pages)[number]) =>
  page.blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.split('\n'))

const startCommands = pages
  .flatMap(shellLines)
  .filter((line) => isTool(line) && /npm start/.test(line))

/** What is empty in a response to a GET: a list, or an export without rows. */
function findEmpty({ method, path, body }: Exchange): string[] {
  if (method !== 'GET') return []
  if (!body.startsWith('{')) return body.trim().split('\n').length > 1 ? [] : [path]
  if (body.trim().includes('\n')) return []
  return Object.entries(JSON.parse(body) as Record<string, unknown>)
    .filter(([, value]) => Array.isArray(value) && value.length === 0)
    .map(([name]) => `${path}: ${name}`)
}

describe('commands of the documentation', () => {
  const lifetime = suiteLifetime()
  const folder = temporaryFolder(lifetime)

  /** Runs a command of a page as a reader would, except for the port and the data folder. */
  const start = (command: string, dataFolder: string) =>
    spawnProcess(lifetime, {
      command: ['bash', '-c', command.replace('npm ci && ', '')],
      environment: { MUSTER_PORT: '0', MUSTER_DATA_DIR: join(folder, dataFolder) },
      ownGroup: true,
    })

  let proxy: Awaited<ReturnType<typeof startRecordingProxy>>
  before(async () => {
    const demo = startCommands.find((command) => command.endsWith('--demo'))
    assert.ok(demo)
    const muster = start(demo, 'demo')
    await muster.printed("-d '{")
    await eventually('the demo is loaded', () =>
      muster.stderr().includes('Loading the demo: 100 %'),
    )
    proxy = await startRecordingProxy(lifetime, readWelcome(muster.stdout()).baseUrl)
  })

  test('every block names a language that is run or shown', () => {
    for (const { path, blocks } of pages) {
      for (const { language, text } of blocks) {
        assert.ok(language === 'sh' || shown.has(language), `${path}: \`\`\`${language}`)
        // zsh takes a comment on a pasted line for arguments.
        if (language === 'sh') assert.doesNotMatch(text, /(?:^| )# /m, path)
      }
    }
  })

  test('only these blocks of commands are not run', () => {
    const counts = pages
      // Those of the sources are for other machines.
      .filter(({ path }) => !path.startsWith('docs/sources/'))
      .map(({ path, blocks }) => ({
        path,
        notRun: blocks.filter(({ language }) => language === 'console').length,
      }))
    assert.deepEqual(
      counts.filter(({ notRun }) => notRun > 0),
      [
        // They take an hour.
        { path: 'bench/README.md', notRun: 1 },
        // They build the package and start the demo. testing/sdk does both.
        { path: 'sdk/README.md', notRun: 2 },
        // They change the data. The tests of the commands run them.
        { path: 'docs/administering.md', notRun: 7 },
        // They need another Muster and a token of it.
        { path: 'docs/audit-export.md', notRun: 1 },
        // They log in at another Muster. Tests of the command line run them.
        { path: 'docs/command-line.md', notRun: 1 },
        // It needs Ansible. testing/feeds runs ansible-inventory with such a script.
        { path: 'docs/feeds.md', notRun: 1 },
        // They need other nodes; testing/deploy runs such nodes.
        { path: 'docs/high-availability.md', notRun: 2 },
        // Package, folder and archive are run by testing/package, the secrets of compose by testing/deploy. The
        // others need systemd, Docker or Kubernetes.
        { path: 'docs/installing.md', notRun: 10 },
        // It needs Claude Code.
        { path: 'docs/mcp.md', notRun: 1 },
        // One writes a file of the system, the other needs a collector of traces.
        { path: 'docs/monitoring.md', notRun: 2 },
        // They need another database, a certificate or another user.
        { path: 'docs/operating.md', notRun: 3 },
        // They change the data. The tests of the commands run them.
        { path: 'docs/upgrading.md', notRun: 2 },
        // It needs Cloudpods' command line.
        { path: 'docs/using.md', notRun: 1 },
      ],
    )
  })

  test('the README starts Muster, then runs the tests', async () => {
    const commands = shellLines(pages[0]!).filter(isTool)
    assert.deepEqual(commands.slice(0, 2), ['npm ci && npm start', 'npm ci && npm test'])
    const muster = start(commands[0]!, 'plain')
    await muster.printed("-d '{")
    const { baseUrl, password } = readWelcome(muster.stdout())
    assert.ok(password)
    assert.equal((await fetch(`${baseUrl}/readyz`)).status, 200)
  })

  test('every npm script that a page names exists', () => {
    const manifest = (path: string) =>
      JSON.parse(readFileSync(join(repository, path, 'package.json'), 'utf8')) as {
        scripts: Record<string, string>
      }
    const texts = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/npm (?:run (?:-s )?)?([a-z:]+(?:-[a-z]+)*)(?: -w (\w+))?/g)].map(
        (match) => ({
          path,
          match,
        }),
      ),
    )
    const builtIn = new Set(['ci', 'exec', 'install'])
    for (const { path, match } of texts) {
      const [command, script = '', workspace = '.'] = match
      if (builtIn.has(script) || !/^npm (?:run|start|test)/.test(command)) continue
      assert.ok(manifest(workspace).scripts[script], `${path}: ${command}`)
    }
  })

  // Running all pages takes longer than 10 s.
  for (const page of isSlowLane ? pages : pages.slice(0, 1)) {
    const script = shellLines(page).filter((line) => !isTool(line))
    if (script.every((line) => line === '')) continue
    test(`${page.path}: every command succeeds and shows rows`, async () => {
      const text = script
        .join('\n')
        .replaceAll('127.0.0.1:8400', proxy.host)
        .replaceAll('/tmp/', `${folder}/`)
        .replaceAll(/\bdata-demo\b/g, `${folder}/demo`)
      proxy.take()
      const shell = spawnProcess(lifetime, { command: ['bash', '-xeuo', 'pipefail', '-c', text] })
      const { code, stdout, stderr } = await shell.exited
      assert.equal(code, 0, stderr)
      assert.notEqual(stdout, '')
      const exchanges = proxy.take()
      const failed = exchanges.filter(({ status }) => status >= 400)
      assert.deepEqual(failed, [])
      assert.deepEqual(exchanges.flatMap(findEmpty), [])
    })
  }
})
