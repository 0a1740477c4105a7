import assert from 'node:assert/strict'
import type { SourceKind } from '../../domain/sources/source.ts'
import { createForTest } from './create-for-test.ts'
import { reportGap } from './report-gap.ts'
import { getReadable, requireServer, scanAll, withSource } from './scan-source.ts'
import { referenceOf } from './server-reference.ts'
import type { SourceBackEnd } from './source-back-end.ts'
import { test } from './timed-test.ts'

/** Names that a source must report unchanged, if the back end accepts them. */
const oddNames = [
  'Jörg <b> & "x" 服务器 🖥️ e\u0301 עברית',
  "it's `quoted` \\ %41 &amp; ${x} {{x}}",
  'x'.repeat(255),
  ' blanks ',
  // For back ends that accept names of hosts only.
  `UPPER-and-lower-${'9'.repeat(45)}-z`,
]

export function testUnusualServers(kind: SourceKind, backEnd: () => SourceBackEnd): void {
  void test('reports unusual names unchanged', async (context) => {
    const created = new Map<string, string>()
    const refused: string[] = []
    for (const name of oddNames) {
      try {
        created.set(await createForTest(context, backEnd(), name), name)
      } catch (error) {
        const [reason = ''] = String(error).trim().split('\n').slice(-1)
        refused.push(`${name.slice(0, 20)}… (${reason.replaceAll(name, '…')})`)
      }
    }
    assert.ok(created.size > 0, `the back end refuses every name: ${refused.join(', ')}`)
    const servers = [...(await withSource(kind, backEnd().settings, scanAll)).values()]
    for (const [id, name] of created) {
      const server = servers.find(({ facts }) => facts.external_id === id)
      assert.equal(server?.facts.name, name)
    }
    if (refused.length > 0) reportGap(context, `The back end refuses: ${refused.join('; ')}`)
  })

  void test('reports unusual servers as the contract requires', async (context) => {
    const { createOdd, remove, settings } = backEnd()
    if (typeof createOdd === 'string') return reportGap(context, createOdd)
    const ids = await createOdd()
    for (const id of ids) context.after(() => remove(id))
    await withSource(kind, settings, async (source) => {
      const servers = [...(await scanAll(source)).values()]
      for (const id of ids) {
        const server = servers.find(({ facts }) => facts.external_id === id)
        assert.ok(server, `${id} is not reported`)
        requireServer(server, kind.provider)
        assert.deepEqual(await getReadable(source, referenceOf(server)), server)
      }
    })
  })
}
