import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fitColumns } from './fit-columns.ts'

const columns = [
  { name: 'name', width: 200 },
  { name: 'address', width: 100, isWhole: true },
  { name: 'project', width: 100 },
] as const

const fit = (options: Partial<Parameters<typeof fitColumns>[0]>) =>
  fitColumns({ columns, chosen: {}, needed: {}, available: 400, ...options }).widths

describe('the widths of columns', () => {
  it('are the usual ones if these fit, or before the window is measured', () => {
    assert.deepEqual(fit({}), [200, 100, 100])
    assert.deepEqual(fit({ available: undefined }), [200, 100, 100])
  })

  it('fill a wide window, and give way to names and whole columns in a narrow one', () => {
    assert.deepEqual(fit({ available: 700 }), [400, 100, 200])
    assert.deepEqual(fit({ available: 380 }), [200, 100, 80])
    assert.deepEqual(fit({ available: 460, needed: { address: 190 } }), [200, 190, 70])
  })

  it('stay readable in a very narrow window, where the table scrolls', () => {
    assert.deepEqual(fit({ available: 100 }), [200, 100, 60])
  })

  it('are those that the user chose, but never cut a whole column', () => {
    assert.deepEqual(fit({ chosen: { name: 60 } }), [60, 100, 240])
    assert.deepEqual(fit({ chosen: { address: 50 }, needed: { address: 80 } }), [213, 80, 107])
    const all = fitColumns({
      columns,
      chosen: { name: 60, project: 50 },
      needed: {},
      available: 400,
    })
    assert.deepEqual(all, { widths: [60, 100, 50], isFlexible: false })
  })
})
