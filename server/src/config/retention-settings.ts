import { duration, longDuration } from './parsers.ts'
import { setting } from './setting.ts'

/** How long data are stored that are of no use for ever. */
export const retentionSettings = {
  eventRetention: setting({
    flag: 'event-retention',
    variable: 'MUSTER_EVENT_RETENTION',
    value: 'time',
    help: 'How long audit events are stored.',
    parse: duration,
    fallback: '180d',
  }),
  historyRetention: setting({
    flag: 'history-retention',
    variable: 'MUSTER_HISTORY_RETENTION',
    value: 'time',
    help: 'How long changes of servers are stored. Earlier moments cannot be read.',
    parse: longDuration,
    fallback: '400d',
  }),
  deletedRetention: setting({
    flag: 'deleted-retention',
    variable: 'MUSTER_DELETED_RETENTION',
    value: 'time',
    help: 'How long deleted servers are stored.',
    parse: duration,
    fallback: '30d',
  }),
}
