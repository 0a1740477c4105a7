import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, test } from 'node:test'
import pg from 'pg'
import {
  startActingAccount,
  type ActingAccount,
} from '../../testing/inventory-world/acting-account.ts'
import { assertRetryAfter } from '../../testing/assert-error.ts'
import { shortTaskLimits } from '../../testing/short-task-limits.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

/** The commits of a task, as the rows that they write. */
const commits = {
  accepted: 'before insert on tasks for each row',
  sending: `before update on tasks for each row when (new.sent_at is not null and old.sent_at is null)`,
  end: `before update on tasks for each row when (new.finished_at is not null and old.finished_at is null)`,
}

const faults = {
  'the disk is full': `raise exception 'full' using errcode = '53100'`,
  'the connection ends': 'perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(5)',
  'no answer': 'perform pg_sleep(3)',
  'a serialization failure': `raise exception 'conflict' using errcode = '40001'`,
}

void describe('a database that fails during a commit of a task', () => {
  const lifetime = suiteLifetime()
  let acting: ActingAccount
  let client: pg.Client
  before(async () => {
    acting = await startActingAccount(lifetime, 'postgres', {
      platform: { taskLimits: shortTaskLimits, flags: ['--database-timeout=1s'] },
    })
    client = new pg.Client(acting.at.platform.databaseUrl)
    await client.connect()
    lifetime.after(() => client.end())
    await client.query('create sequence attempts')
  })

  /** The first of these commits fails. A sequence counts also in a transaction that is rolled back. */
  async function breakFirst(commit: keyof typeof commits, fault: keyof typeof faults) {
    await client.query(`
      create or replace function break_commit() returns trigger language plpgsql as $$ begin
        if nextval('attempts') = 1 then ${faults[fault]}; end if;
        return new;
      end $$;
      alter sequence attempts restart;
      create trigger break_commit ${commits[commit]} execute function break_commit()`)
  }

  /** Requests that the simulated servers have got. */
  async function countRequests(): Promise<number> {
    const { rows } = await client.query<{ value: string }>(
      `select value from source_state where account_id = $1 and key <> ''`,
      [acting.accountId],
    )
    return rows.reduce((sum, { value }) => sum + (JSON.parse(value) as { calls: number }).calls, 0)
  }

  for (const commit of Object.keys(commits) as (keyof typeof commits)[]) {
    for (const fault of Object.keys(faults) as (keyof typeof faults)[]) {
      test(`${commit}, ${fault}: the request is sent once, and the task succeeds`, async () => {
        const server = await acting.first('ready')
        const sentBefore = await countRequests()
        await breakFirst(commit, fault)
        const headers = { 'idempotency-key': randomUUID() }
        const start = () => acting.act('startServer', server.id, { headers })
        const answer = await eventually('the action is accepted', async () => {
          const given = await start()
          if (given.status === 503)
            assertRetryAfter({ headers: given.headers, text: JSON.stringify(given.body) })
          else assert.equal(given.status, 200, JSON.stringify(given.body))
          return given.status === 200 && given
        })
        const task = await acting.ended(answer.headers.get('x-task-id') ?? '')
        const { rows } = await client.query<{ last_value: string }>(
          'select last_value from attempts',
        )
        await client.query('drop trigger break_commit on tasks')
        // Without an answer the process may wait for as long as the database does.
        const isRepeated = Number(rows[0]?.last_value) > 1
        assert.ok(isRepeated || fault === 'no answer', 'the commit was not repeated')
        assert.deepEqual([task.status, task.error], ['succeeded', ''])
        assert.equal(await countRequests(), sentBefore + 1)
        assert.equal((await start()).headers.get('x-task-id'), task.id, 'the same key again')
        await eventually('the server runs', async () => {
          const { status, metadata } = await acting.getServer(server.id)
          return status === 'running' && metadata['sys:task_id'] === undefined
        })
      })
    }
  }
})
