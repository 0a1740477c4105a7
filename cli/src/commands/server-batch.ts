import { codeOf } from '../exit-codes.ts'
import type { NounFacts } from '../description/description.ts'
import type { Run } from '../grammar/command.ts'
import type { Row } from '../output/output.ts'
import { findId } from './find-item.ts'
import { confirm } from './confirm.ts'
import { poll } from './follow-task.ts'

interface Batch {
  readonly action: string
  readonly params: Readonly<Record<string, unknown>>
  /** Ids or names. Empty: the query decides. */
  readonly items: readonly string[]
  readonly q: string | undefined
}

interface Preview {
  readonly matched: string
  readonly total: number
  readonly items: readonly Row[]
}

const previewColumns = ['server_id', 'server', 'outcome', 'reason']

/** The request of a batch, with ids instead of names. */
async function requestOf(run: Run, noun: NounFacts, { action, params, items, q }: Batch) {
  const ids = []
  for (const item of items) ids.push(await findId(run, noun, item))
  return {
    action,
    ...(q === undefined ? { ids } : { q }),
    ...(Object.keys(params).length > 0 && { params }),
  }
}

async function printPreview(run: Run, { items }: Preview): Promise<void> {
  const list = run.output.startList({
    columns: previewColumns,
    areChosen: false,
    many: 'servers',
  })
  list.add(items)
  await list.end()
}

const isFinished = ({ status }: Row): boolean => status !== 'running'

/** The exit code of a batch: 8 if some of its servers failed. */
const codeOfBatch = ({ failed, refused, unknown, cancelled, succeeded }: Row): number => {
  const bad = [failed, refused, unknown, cancelled].reduce<number>(
    (sum, count) => sum + Number(count),
    0,
  )
  if (bad === 0) return codeOf('ok')
  return codeOf(Number(succeeded) > 0 ? 'partial' : 'error')
}

/** One action on several servers: a preview, a typed confirmation, and the batch for exactly these servers. */
export async function runBatch(run: Run, noun: NounFacts, given: Batch): Promise<number> {
  const { args, output } = run
  const { client } = await run.connect()
  const request = await requestOf(run, noun, given)
  const query = { scope: 'max' }
  const previewed = await client.request('createBatch', {
    query,
    body: { batch: { ...request, dry_run: true } },
  })
  const preview = (previewed.body as { readonly batch: Preview }).batch
  const acting = preview.items.filter(({ outcome }) => outcome === 'act').length
  if (args.isSet('dry-run')) {
    await printPreview(run, preview)
    return codeOf('ok')
  }
  if (acting === 0) {
    await printPreview(run, preview)
    const isRefused = preview.items.some(({ outcome }) => outcome === 'refused')
    output.note('There is nothing to do.')
    return codeOf(isRefused ? 'conflict' : 'ok')
  }
  if (!args.isSet('yes')) {
    for (const { server, outcome, reason } of preview.items.slice(0, 20)) {
      const why = reason === '' ? '' : ` (${String(reason)})`
      output.note(`  ${String(server)}: ${String(outcome)}${why}`)
    }
    if (preview.items.length > 20) output.note(`  … and ${preview.items.length - 20} more`)
  }
  const servers = acting === 1 ? '1 server' : `${acting} servers`
  await confirm(run, `This will ${given.action} ${servers}.`, String(acting))
  const created = await client.request('createBatch', {
    query,
    body: { batch: { ...request, matched: preview.matched } },
  })
  const { batch } = created.body as { readonly batch: Row }
  if (!args.isSet('wait')) {
    output.note(
      `Batch ${String(batch['id'])}. Follow it with "muster wait ${String(batch['id'])}".`,
    )
    await output.printItem(batch, batchColumns(run))
    return codeOf('ok')
  }
  return await followBatch(run, String(batch['id']))
}

const batchColumns = ({ args, output }: Run): readonly string[] | undefined => {
  const chosen = args.texts('column')
  if (chosen.length > 0) return chosen
  return output.format === 'table'
    ? ['id', 'action', 'status', 'total', 'succeeded', 'failed', 'refused', 'unknown']
    : undefined
}

/** Waits until a batch has ended, and prints it. */
export async function followBatch(run: Run, id: string): Promise<number> {
  const { client } = await run.connect()
  const ended = await poll(
    run,
    async () => {
      const { body } = await client.request('getBatch', { parameters: { id } })
      return (body as { readonly batch: Row }).batch
    },
    isFinished,
    ({ succeeded, failed, total }) =>
      `${String(succeeded)} of ${String(total)} done, ${String(failed)} failed`,
  )
  await run.output.printItem(ended, batchColumns(run))
  return codeOfBatch(ended)
}
