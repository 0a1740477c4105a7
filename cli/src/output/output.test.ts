import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { formats } from '../grammar/flag.ts'
import { hostileNames } from '../testing/hostile-names.ts'
import { runOutput } from '../testing/run-output.ts'
import type { Row } from './output.ts'

/** What no output may have: everything that a terminal obeys, and what changes the order of a line. */
const forbidden = /(?![\r\n\t])\p{Cc}|[\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]|\p{Cs}/u

const columns = ['id', 'name', 'tags']
const rowOf = (name: string, number = 1): Row => ({
  id: `id-${number}`,
  name,
  tags: { [`key ${name}`]: name },
})

const printList = (format: string, rows: readonly Row[], ...flags: string[]) =>
  runOutput(['-f', format, ...flags], async (output) => {
    const list = output.startList({ columns, areChosen: false, many: 'servers' })
    list.add(rows)
    await list.end()
  })

const printItem = (format: string, row: Row, ...flags: string[]) =>
  runOutput(['-f', format, ...flags], (output) => output.printItem(row))

const ofLists = formats.filter((format) => format !== 'shell')

describe('the output of a list', () => {
  for (const format of ofLists) {
    for (const [what, name] of Object.entries(hostileNames)) {
      test(`as ${format} is harmless and complete if names have ${what}`, async () => {
        for (const rows of [[rowOf(name)], [rowOf('a'), rowOf(name, 2), rowOf('b', 3)]]) {
          const { stdout } = await printList(format, rows)
          assert.doesNotMatch(stdout, forbidden)
          if (format === 'json') assert.deepEqual(JSON.parse(stdout), rows)
          if (format === 'yaml' && !/\uD800/.test(name)) assert.deepEqual(parse(stdout), rows)
          if (format === 'ndjson') {
            const lines = stdout.trimEnd().split('\n')
            assert.deepEqual(
              lines.map((line) => JSON.parse(line) as unknown),
              rows,
            )
          }
          // One line for each row, and the header.
          if (format === 'table' || format === 'csv') {
            assert.equal(stdout.trimEnd().split('\n').length, rows.length + 1)
          }
          if (format === 'value') assert.equal(stdout.split('\n').length, rows.length + 1)
        }
      })
    }

    test(`as ${format} is valid if it is empty`, async () => {
      const { stdout, stderr } = await printList(format, [])
      const expected: Record<string, string> = {
        json: '[]\n',
        yaml: '[]\n',
        csv: 'id,name,tags\r\n',
      }
      assert.equal(stdout, expected[format] ?? '')
      assert.equal(stderr, format === 'table' ? 'No servers found.\n' : '')
    })

    test(`as ${format} has ids only with -q, and no header with --no-header`, async () => {
      const rows = [rowOf('a', 1), rowOf('b', 2)]
      assert.equal((await printList(format, rows, '-q')).stdout, 'id-1\nid-2\n')
      assert.doesNotMatch((await printList(format, rows, '--no-header')).stdout, /^ID|^id,/)
    })
  }

  test('does not run as a formula', async () => {
    const { stdout } = await printList('csv', [rowOf('=1+1'), rowOf('-2')])
    assert.match(stdout, /,'=1\+1,/)
    assert.match(stdout, /,'-2,/)
  })

  test('as shell is refused', async () => {
    await assert.rejects(printList('shell', []), /for one item/)
  })

  test('is shortened on a terminal only, and by --max-width', async () => {
    const rows = [rowOf('x'.repeat(300))]
    assert.match((await printList('table', rows)).stdout, /x{300}/)
    const print = async (flags: string[], terminal?: { columns: number }) => {
      const { stdout } = await runOutput(
        flags,
        async (output) => {
          const list = output.startList({ columns, areChosen: true, many: 'servers' })
          list.add(rows)
          await list.end()
        },
        terminal,
      )
      return Math.max(...stdout.split('\n').map((line) => line.length))
    }
    assert.ok((await print(['--no-color'], { columns: 80 })) <= 80)
    assert.ok((await print(['--max-width', '60'])) <= 60)
  })

  test('has colours on a terminal only', async () => {
    const print = (terminal?: { columns: number }, ...flags: string[]) =>
      runOutput(
        flags,
        async (output) => {
          const list = output.startList({ columns: ['status'], areChosen: true, many: 'servers' })
          list.add([{ status: 'running' }])
          await list.end()
        },
        terminal,
      )
    assert.equal((await print()).stdout, 'STATUS\nrunning\n')
    assert.ok((await print({ columns: 80 })).stdout.includes('\u001B[32mrunning\u001B[0m'))
    assert.equal((await print({ columns: 80 }, '--no-color')).stdout, 'STATUS\nrunning\n')
  })
})

describe('the output of an item', () => {
  for (const format of formats) {
    for (const [what, name] of Object.entries(hostileNames)) {
      test(`as ${format} is harmless if its name has ${what}`, async () => {
        const { stdout } = await printItem(format, rowOf(name))
        assert.doesNotMatch(stdout, forbidden)
        if (format === 'json') assert.deepEqual(JSON.parse(stdout), rowOf(name))
        if (format === 'shell') assert.equal(stdout.split('\n').length, 4)
      })
    }
  }

  test('as shell cannot run a command', async () => {
    const { stdout } = await printItem('shell', { name: "a'; rm -rf $(x)'" })
    assert.equal(stdout, String.raw`name='a'\''; rm -rf $(x)'\'''` + '\n')
  })
})
