import { objectOf, textOf, type Json } from '../shared/json.ts'
import { pathOf } from './instance.ts'
import { instanceNameIn, isName } from './names.ts'

/** Actions that change nothing which Muster shows. */
const irrelevant = /-(?:backup|console|exec|file|log|metadata|snapshot)(?:-|$)/

/** The paths of the instances that a lifecycle event concerns. */
export function changedPaths(event: Json): readonly string[] {
  const metadata = objectOf(event, 'metadata')
  const source = textOf(metadata, 'source')
  const name = instanceNameIn(source)
  if (name === '' || irrelevant.test(textOf(metadata, 'action'))) return []
  const query = new URLSearchParams(source.split('?')[1])
  const project = query.get('project') ?? (textOf(event, 'project') || 'default')
  const oldName = textOf(objectOf(metadata, 'context'), 'old_name')
  return isName(project)
    ? [name, oldName].filter(isName).map((one) => pathOf({ project, name: one }))
    : []
}
