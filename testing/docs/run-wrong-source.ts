import { rmSync } from 'node:fs'
import { after } from 'node:test'
import { loadExample } from './load-example.ts'
import { withMistake } from './wrong-sources.ts'

// A process of its own, because tests fail here. Its environment names the mistake.
const { folder, kind, describeExample } = await loadExample()
after(() => rmSync(folder, { recursive: true }))
describeExample(withMistake(kind, process.env['EXAMPLE_MISTAKE']))
