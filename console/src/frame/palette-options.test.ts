import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chosenOf, matching, serverOption, stepFrom } from './palette-options.ts'

const [web, webOther, db] = ['web-7', 'web-70', 'db-1'].map((name, at) =>
  serverOption({ id: name, name, ips: `10.0.0.${at},10.1.0.${at}`, project: 'shop' }, () => {}),
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
})
