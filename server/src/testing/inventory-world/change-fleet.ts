import assert from 'node:assert/strict'
import type { Draw } from './server-samples.ts'
import type { InventoryWorld } from './start-inventory-world.ts'

/** Something that happens to a fleet: servers appear, change, move, are tagged, recycled, gone, and return. */
export async function changeFleet(fleet: InventoryWorld, draw: Draw): Promise<void> {
  const { samples, world, projects } = fleet
  const present = world.facts().filter(({ isDeleted }) => !isDeleted)
  const some = () => present[draw(present.length - 1)] ?? assert.fail()
  const gone = new Set(Array.from({ length: draw(3) }, () => some().facts.id))
  const changed = Array.from({ length: draw(6) }, () => {
    const { facts } = some()
    const project_id = projects[draw(projects.length - 1)]?.id ?? facts.project_id
    return draw(1) === 0
      ? {
          ...samples.facts(),
          id: facts.id,
          account_id: facts.account_id,
          project_id: facts.project_id,
        }
      : { ...facts, project_id }
  }).filter(({ id }) => !gone.has(id))
  const returned = world
    .facts()
    .filter(({ isDeleted }) => isDeleted)
    .slice(0, draw(1))
    .map(({ facts }) => facts)
  const fresh = Array.from({ length: draw(3) }, () => samples.facts())
  await fleet.record([...changed, ...returned, ...fresh], [...gone])
  const { id } = some().facts
  if (!gone.has(id)) {
    fleet.tick()
    await fleet.callers.admin.get('mergeServerMetadata', {
      path: { id },
      body: { metadata: { env: `v${draw(9)}` } },
    })
  }
  if (draw(1) === 0) {
    for (let count = 0; count < 2; count += 1) fleet.tick()
    await fleet.platform.inventory.purgeDeleted()
  }
  const binned = some().facts.id
  if (!gone.has(binned)) await fleet.recycle([binned], draw(1) === 0)
}
