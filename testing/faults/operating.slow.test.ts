import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Engine } from '../../server/src/testing/engines.ts'
import { isNightly, onPostgresFirst } from '../../server/src/testing/lanes.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { startRunningMuster, type RunningMuster } from './running-muster.ts'

interface Operation {
  readonly name: string
  readonly engines: readonly Engine[]
  /** Runs with `--nightly` only: other tests have it, without the clients. */
  readonly isNightly?: boolean
  /** Whether requests may be answered with 503, and tasks fail, meanwhile. */
  readonly isFault?: boolean
  /** Runs while clients scan, act, export and log in. */
  readonly run: (muster: RunningMuster) => Promise<void>
}
const both = ['sqlite', 'postgres'] as const

async function rotateKey(muster: RunningMuster, copyDelay: number): Promise<void> {
  const steps =
    muster.engine === 'postgres' ? [[], ['--activate'], ['--finish']] : [[], ['--finish']]
  for (const step of steps) {
    muster.ageKeyFile()
    const { status, stdout, stderr } = await muster.runAdmin(0, 'rotate-key', ...step)
    assert.equal(status, 0, stdout + stderr)
    await pause(copyDelay)
    for (const at of muster.nodes.keys()) if (at > 0) muster.copyKeyFile(at)
    await pause(300)
  }
}

async function reload(muster: RunningMuster, lines: readonly string[], message: string) {
  for (const [at, node] of muster.nodes.entries()) {
    const before = node.stderr().length
    const place = muster.places[at]
    if (place) muster.settings(place, lines)
    process.kill(node.pid, 'SIGHUP')
    await eventually(message, () => node.stderr().slice(before).includes(message), { deadline: 20 })
  }
}

const operations: readonly Operation[] = [
  { name: 'nothing', engines: both, isNightly: true, run: () => pause(1_000) },
  // Then the other node scans and acts, and the key is rotated here.
  {
    name: 'a process is killed',
    engines: both,
    isFault: true,
    async run({ nodes, startNode }) {
      await nodes[0]?.end('SIGKILL')
      await pause(1_000)
      await startNode(0)
    },
  },
  { name: 'rotate-key', engines: both, run: (muster) => rotateKey(muster, 0) },
  {
    name: 'a second rotate-key, and the other node gets each file later',
    engines: ['postgres'],
    isNightly: true,
    isFault: true,
    run: (muster) => rotateKey(muster, 1_500),
  },
  {
    name: 'SIGHUP: log level and access log, then invalid settings',
    engines: both,
    isNightly: true,
    async run(muster) {
      await reload(muster, ['log_level = "debug"', 'access_log = "off"'], 'settings reloaded')
      await pause(1_500)
      await reload(muster, ['log_level = "loud"'], 'settings not reloaded')
      await reload(muster, ['log_level = "info"'], 'settings reloaded')
    },
  },
  {
    name: 'the receiver of events fails',
    engines: both,
    isNightly: true,
    async run({ receiver }) {
      receiver.isFailing = true
      await pause(2_000)
      receiver.isFailing = false
    },
  },
  {
    name: 'the disk is full',
    engines: both,
    isFault: true,
    async run({ fillDisk, postgres }) {
      const disk = fillDisk()
      await pause(4_000)
      disk.free()
      // PostgreSQL ends if it cannot write its log. Its supervisor starts it again.
      await postgres?.restart()
    },
  },
  {
    name: 'PostgreSQL restarts',
    engines: ['postgres'],
    isFault: true,
    run: async ({ postgres }) => await postgres?.restart(),
  },
  {
    name: 'PostgreSQL does not respond',
    engines: ['postgres'],
    isNightly: true,
    isFault: true,
    async run({ postgres }) {
      const frozen = postgres?.pids() ?? []
      for (const pid of frozen) process.kill(pid, 'SIGSTOP')
      await pause(8_000)
      for (const pid of frozen) process.kill(pid, 'SIGCONT')
    },
  },
  {
    name: 'a backup, a refused restore, and a restore',
    engines: both,
    isFault: true,
    async run({ folder, nodes, runAdmin, startNode, noteRestored, operator, accountId }) {
      const file = join(folder, 'muster.backup')
      assert.equal((await runAdmin(0, 'backup', file)).status, 0)
      await assert.rejects(runAdmin(0, 'restore', file, '--replace'))
      for (const node of nodes) await node.end('SIGTERM')
      await pause(500)
      const { status, stdout, stderr } = await runAdmin(0, 'restore', file, '--replace')
      assert.equal(status, 0, stdout + stderr)
      for (const at of nodes.keys()) await startNode(at)
      await noteRestored()
      const account = await operator().show(accountId)
      assert.equal(account.access, 'observe', 'what was restored may be older than the source')
      await operator().request(`/cloudaccounts/${accountId}`, 'PUT', {
        cloudaccount: { access: 'manage' },
      })
    },
  },
]

onPostgresFirst('operations on a running Muster', (engine) => {
  const lifetime = suiteLifetime()
  let muster: RunningMuster
  before(async () => {
    muster = await startRunningMuster(lifetime, engine)
  })
  for (const { name, engines, isFault = false, run, ...one } of operations) {
    if (!engines.includes(engine) || (one.isNightly && !isNightly)) continue
    test(`${name}: then a login, a scan, an action, a delivery and an export work on each node`, async () => {
      const load = muster.startLoad()
      try {
        await pause(500)
        await run(muster)
        await pause(500)
      } finally {
        await load.end()
      }
      await muster.check(isFault)
    })
  }
})
