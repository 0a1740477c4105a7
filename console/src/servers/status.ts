import { serverStatuses } from '@muster/contract/names'
import type { Tone } from '../ui/status-mark.tsx'

export const statusGroups = ['running', 'stopped', 'changing', 'failed', 'unknown'] as const
export type StatusGroup = (typeof statusGroups)[number]

/** The API's statuses. */
export const statusesIn: Readonly<Record<StatusGroup, readonly string[]>> = serverStatuses

const groups = new Map(
  statusGroups.flatMap((group) => statusesIn[group].map((status) => [status, group] as const)),
)

/** Whether servers can have this status. Networks, regions and zones have others. */
export const isServerStatus = (status: string): boolean => groups.has(status)

export const groupOfStatus = (status: string): StatusGroup => groups.get(status) ?? 'unknown'

/** One colour and shape per group, in lists and charts alike. */
export const groupTones: Readonly<Record<StatusGroup, Tone>> = {
  running: 'good',
  stopped: 'idle',
  changing: 'busy',
  failed: 'bad',
  unknown: 'warn',
}

/** The statuses of networks, regions, zones, managers and hosts that servers do not have. */
export const otherTones: ReadonlyMap<string, Tone> = new Map([
  ['available', 'good'],
  ['inservice', 'good'],
  ['enable', 'good'],
  ['connected', 'good'],
  ['maintaining', 'busy'],
  ['disable', 'idle'],
  ['soldout', 'warn'],
  ['down', 'bad'],
  ['outofservice', 'bad'],
  ['disconnected', 'bad'],
])

export const statusTone = (status: string): Tone =>
  otherTones.get(status) ?? groupTones[groupOfStatus(status)]

/** Whether a status will soon become another one, so that lists refresh more often. */
export const isTransitional = (status: string): boolean => groupOfStatus(status) === 'changing'
