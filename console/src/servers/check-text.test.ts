import assert from 'node:assert/strict'
import { it } from 'node:test'
import { en } from '../messages/en/index.ts'
import { zhCN } from '../messages/zh-CN/index.ts'
import { checkName, checkText, isEndOfLife } from './check-text.ts'

const idOf = (number: number) => `c${String(number).padStart(31, '0')}`
const check = { name: 'English', description: '', built_in: true }

it('names built-in checks in Chinese, by id and by their English name', () => {
  zhCN.checks.builtIn.forEach(({ english, name }, at) => {
    assert.match(name, /\p{Script=Han}/u, english)
    assert.equal(checkText(zhCN, { ...check, id: idOf(at + 1) }).name, name)
    assert.equal(checkName(zhCN, english), name)
    assert.equal(checkName(en, english), english)
    assert.equal(isEndOfLife({ id: idOf(at + 1), built_in: true }), /end of life/.test(english))
  })
  assert.equal(checkName(zhCN, 'No backup'), 'No backup')
  assert.equal(isEndOfLife({ id: idOf(2), built_in: false }), false)
})
