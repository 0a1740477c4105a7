import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chosenOf, matching, readCommand, serverOption, stepFrom } from './palette-options.ts'

const [web, webOther, db] = ['web-7', 'web-70', 'db-1'].map((name, at) =>
  serverOption({ id: name, name, ips: `10.0.0.${at},10.1.0.${at}`, project: 'shop' }),
)
assert.ok(web && webOther && db)

describe('palette options', () => {
  it('match if the name or hint contains all words', () => {
    assert.deepEqual(matching([web, webOther, db], 'WEB 70'), [webOther])
    assert.deepEqual(matching([web, webOther, db], '0.2 shop'), [db])
  })

  it('the first option is selected by default', () => {
    assert.equal(chosenOf([web, db], undefined), web)
    assert.equal(chosenOf([], undefined), undefined)
  })

  it('the selection follows its option, and returns to the first when the option disappears', () => {
    assert.equal(chosenOf([web, webOther, db], db.id), db)
    assert.equal(chosenOf([web, webOther], db.id), web)
  })

  it('arrow keys wrap around; an empty list has no selection', () => {
    const all = [web, webOther, db]
    assert.equal(stepFrom(all, web, 1), webOther)
    assert.equal(stepFrom(all, web, -1), db)
    assert.equal(stepFrom(all, db, 1), web)
    assert.equal(stepFrom([], undefined, 1), undefined)
  })

  it('an address that is looked for comes first, with its server and owner', () => {
    const server = { id: '7', name: 'web-7', ips: '10.0.0.7,fd00::7', project: 'shop' }
    const shown = (text: string) => {
      const { name, hint } = serverOption(server, text)
      return [name, hint]
    }
    assert.deepEqual(shown('10.0.0.7'), ['10.0.0.7', 'web-7 · shop'])
    assert.deepEqual(shown('FD00::'), ['fd00::7', 'web-7 · shop'])
    for (const text of ['', 'web', '7', '10.9.9']) {
      assert.deepEqual(shown(text), ['web-7', '10.0.0.7 · shop'])
    }
  })

  it('a command is an action by its name, and what follows it', () => {
    const names = { stop: '关闭', start: 'Start' }
    const read = (text: string) => readCommand(text, names, ['start', 'stop'])
    assert.deepEqual(read(' Stop web 7 '), { action: 'stop', rest: 'web 7' })
    assert.deepEqual(read('关闭 web'), { action: 'stop', rest: 'web' })
    for (const text of ['stop', 'stop ', 'stopped web', 'web stop', '']) {
      assert.equal(read(text), undefined)
    }
  })
})
