import type { Server } from '@muster/contract'
import { Link } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { useMessages } from '../../messages/use-messages.ts'
import { tabClass, TabCount, Tabs } from '../../ui/tabs.tsx'
import { tabNames, type TabName } from './tabs.ts'
import { tagsOf } from '../../servers/tags.ts'

interface Props {
  readonly server: Server
  readonly tab: TabName
  /** Called instead of navigating. Links still open in a new window. */
  readonly onTab?: ((tab: TabName) => void) | undefined
}

const isPlain = ({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent) =>
  button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey

const countsOf = (server: Server): Partial<Record<TabName, number>> => ({
  network: server.nics.length,
  disks: server.disks_info.length,
  security: server.secgroups.length,
  devices: server.isolated_devices.length,
  tags: tagsOf(server.metadata, 'own').length + tagsOf(server.metadata, 'source').length,
})

/** Scrolls the row to the current tab, and nothing around it. */
function showInRow(link: HTMLAnchorElement | null): void {
  const row = link?.parentElement
  if (!link || !row) return
  const { left, right } = row.getBoundingClientRect()
  const place = link.getBoundingClientRect()
  if (place.left < left) row.scrollLeft -= left - place.left
  if (place.right > right) row.scrollLeft += place.right - right
}

export function ServerTabs({ server, tab, onTab }: Props) {
  const { server: t } = useMessages()
  const counts = countsOf(server)
  return (
    <Tabs label={t.parts}>
      {tabNames.map((name) => (
        <Link
          key={name}
          ref={name === tab ? showInRow : undefined}
          to="/servers/$id/$tab"
          params={{ id: server.id, tab: name }}
          preload={false}
          resetScroll={false}
          className={tabClass}
          aria-current={name === tab ? 'page' : undefined}
          onClick={(event) => {
            if (!onTab || !isPlain(event)) return
            event.preventDefault()
            onTab(name)
          }}
        >
          {t.tabs[name]}
          {counts[name] !== undefined && <TabCount>{counts[name]}</TabCount>}
        </Link>
      ))}
    </Tabs>
  )
}
