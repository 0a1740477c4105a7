import type { Server } from '@muster/contract'
import type { ComponentType } from 'react'
import { DevicesTab } from './devices-tab.tsx'
import { DisksTab } from './disks-tab.tsx'
import { HistoryTab } from './history-tab.tsx'
import { JsonTab } from './json-tab.tsx'
import { NetworkTab } from './network-tab.tsx'
import { OverviewTab } from './overview-tab.tsx'
import { SecurityTab } from './security-tab.tsx'
import type { TabName } from './tabs.ts'
import { TagsTab } from './tags-tab.tsx'

const contents: Readonly<Record<TabName, ComponentType<{ readonly server: Server }>>> = {
  overview: OverviewTab,
  network: NetworkTab,
  disks: DisksTab,
  security: SecurityTab,
  devices: DevicesTab,
  tags: TagsTab,
  history: HistoryTab,
  json: JsonTab,
}

interface Props {
  readonly server: Server
  readonly tab: TabName
}

export function TabContent({ server, tab }: Props) {
  const Content = contents[tab]
  return <Content server={server} />
}
