import { testFaults } from './matrix.ts'
import { sources } from './sources.ts'

for (const source of sources) testFaults(source, source.sample)
