import { objectOf, textOf, type Json } from '../shared/json.ts'
import { pathOf } from './instance.ts'

/** Actions that change nothing which Muster shows. */
const irrelevant = /-(?:backup|console|exec|file|log|metadata|snapshot)(?:-|$)/

const sourceForm = /^\/1\.0\/(?:instances|containers|virtual-machines)\/([^/?]+)(?:\?|$)/

/** The paths of the instances that a lifecycle event concerns. */
export function changedPaths(event: Json): readonly string[] {
  const metadata = objectOf(event, 'metadata')
  const source = textOf(metadata, 'source')
  const name = sourceForm.exec(source)?.[1]
  if (name === undefined || irrelevant.test(textOf(metadata, 'action'))) return []
  const project =
    new URL(source, 'http://daemon').searchParams.get('project') ??
    (textOf(event, 'project') || 'default')
  const oldName = textOf(objectOf(metadata, 'context'), 'old_name')
  return [decodeURIComponent(name), oldName]
    .filter((one) => one !== '')
    .map((one) => pathOf({ project, name: one }))
}
