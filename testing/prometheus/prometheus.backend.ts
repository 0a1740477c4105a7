import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { createTestDatabase } from '../../server/src/testing/engines.ts'
import { ask, loginAdmin, passwordIdentity, requestToken } from '../../server/src/testing/client.ts'
import {
  repository,
  suiteLifetime,
  temporaryFolder,
} from '../../server/src/testing/spawn-muster.ts'
import { startPlatform } from '../../server/src/testing/start-platform.ts'
import { startDatabaseProxy, throughProxy } from '../../server/src/testing/tcp-proxy.ts'
import { runPromtool, startPrometheus, type Prometheus } from './start.ts'

const deploy = (path: string) => join(repository, 'deploy', path)
const rulesFile = deploy('prometheus/alerts.yml')
const token = 'the-token-of-prometheus'

interface Panel {
  readonly title: string
  readonly targets?: readonly { readonly expr: string }[]
}

/** The expressions of the dashboard, with its variables as Grafana replaces them for "All". */
function readDashboard() {
  const { panels } = JSON.parse(readFileSync(deploy('grafana/muster.json'), 'utf8')) as {
    panels: readonly Panel[]
  }
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      title,
      expression: expr
        .replaceAll('$job', 'muster')
        .replaceAll('$instance', '.*')
        .replaceAll('$__rate_interval', '1m'),
    })),
  )
}

const selector = /\b(?:muster|process|nodejs)_\w+(?:\{[^}]*\})?|\bup\{[^}]*\}/g

describe('Prometheus', () => {
  const lifetime = suiteLifetime()
  let prometheus: Prometheus
  let failLogin: () => Promise<void>

  before(async () => {
    const folder = temporaryFolder(lifetime)
    const tokenFile = join(folder, 'token')
    writeFileSync(tokenFile, token)
    const flags = [`--metrics-token-file=${tokenFile}`]
    const demo = await startPlatform({
      flags: [...flags, '--demo', '--demo-servers=300', '--events-syslog=tcp://127.0.0.1:9'],
    })
    lifetime.after(() => demo.close())
    const databaseUrl = await createTestDatabase('migrated')
    const proxy = await startDatabaseProxy(lifetime, databaseUrl)
    const shared = await startPlatform({
      flags: [...flags, `--database-url=${throughProxy(databaseUrl, proxy)}`],
    })
    lifetime.after(() => shared.close())

    const admin = await loginAdmin(demo.url)
    await requestToken(demo.url, { identity: passwordIdentity('sysadmin', 'a wrong sentence') })
    const { body: projects } = await ask<{ projects: { id: string }[] }>(
      demo.url,
      '/v3/auth/projects',
      { token: admin },
    )
    const cloudaccount = {
      name: 'a failing account',
      provider: 'OneCloud',
      address: 'qemu+unix:///system?socket=/nowhere',
      project_id: projects.projects[0]?.id,
    }
    const attached = await ask(demo.url, '/cloudaccounts', {
      token: admin,
      method: 'POST',
      body: { cloudaccount },
    })
    assert.equal(attached.status, 201, attached.text)

    const targets = [demo.url, shared.url].map((url) => new URL(url).host)
    prometheus = await startPrometheus(
      lifetime,
      JSON.stringify({
        global: { scrape_interval: '500ms', evaluation_interval: '500ms' },
        rule_files: [rulesFile],
        scrape_configs: [
          {
            job_name: 'muster',
            authorization: { credentials_file: tokenFile },
            static_configs: [{ targets }],
          },
        ],
      }),
    )
    await eventually(
      'both are scraped',
      async () => (await prometheus.query('up == 1')).length === 2,
    )
    // From here on one process has no database. It is scraped nevertheless.
    proxy.cut()
    failLogin = async () => {
      const identity = passwordIdentity('sysadmin', 'a wrong sentence')
      assert.equal((await requestToken(shared.url, { identity })).status, 503)
    }
    await failLogin()
  })

  test('accepts the rules and the example of its configuration', () => {
    runPromtool('check', 'rules', rulesFile)
    runPromtool('check', 'config', '--syntax-only', deploy('prometheus/prometheus.yml'))
  })

  test('has data for every expression of the dashboard', async () => {
    const expressions = readDashboard()
    assert.ok(expressions.length > 40)
    for (const { title, expression } of expressions) {
      await eventually(
        `${title}: ${expression}`,
        async () => (await prometheus.query(expression)).length > 0,
      )
    }
  })

  test('evaluates every alert, and has data for each of its selectors', async () => {
    const rules = await prometheus.alertRules()
    const page = readFileSync(join(repository, 'docs/monitoring.md'), 'utf8')
    const documented = [...page.matchAll(/^\| `(Muster\w+)`/gm)].map(([, name]) => name)
    assert.deepEqual(
      documented,
      rules.map(({ name }) => name),
    )
    for (const { name, query } of rules) {
      const selectors = query.match(selector) ?? assert.fail(name)
      for (const each of selectors) {
        await eventually(`${name}: ${each}`, async () => (await prometheus.query(each)).length > 0)
      }
    }
    const problems = async () =>
      (await prometheus.alertRules()).filter(({ health }) => health !== 'ok')
    await eventually('all are evaluated', async () => (await problems()).length === 0)
  })

  test('alerts about what is broken, and about nothing else', async () => {
    const stateOf = async (wanted: string) =>
      (await prometheus.alertRules()).find(({ name }) => name === wanted)?.state
    for (const name of ['MusterNotReady', 'MusterErrors']) {
      await eventually(name, async () => {
        await failLogin()
        return (await stateOf(name)) !== 'inactive'
      })
    }
    for (const name of ['MusterDown', 'MusterClockOff', 'MusterAccountStale', 'MusterWalLarge']) {
      assert.equal(await stateOf(name), 'inactive', name)
    }
    const failing = await prometheus.query('muster_account_failures > 0')
    assert.deepEqual(
      failing.map(({ metric }) => [metric['account'], metric['provider']]),
      [['a failing account', 'OneCloud']],
    )
  })
})
