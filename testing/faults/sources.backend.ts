import { describe } from 'node:test'
import { testFaults } from './matrix.ts'
import { sources } from './sources.ts'

// At the same time: a cell mostly waits.
void describe('a sample of faults', { concurrency: true }, () => {
  for (const source of sources.filter(({ sample }) => sample.length > 0))
    testFaults({ ...source, copies: 1 }, source.sample)
})
