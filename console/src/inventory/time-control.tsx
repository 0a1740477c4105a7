import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { firstChangeQuery } from '../api/queries/moment.ts'
import { FormDialog } from '../form/form-dialog.tsx'
import { useFormat } from '../messages/use-format.ts'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { useNow } from '../ui/use-now.ts'
import { readMoment } from '../url/read-moment.ts'
import { fromLocalTime, minute, toLocalTime, toMoment } from './local-time.ts'
import { useAsOf, useMomentText, useShowMoment } from './use-as-of.ts'

const hour = 3_600_000
const day = 24 * hour

/** Chooses the moment that a list shows: now, or a time of the past. */
export function TimeControl() {
  const { past: t } = useMessages()
  const { dateTime } = useFormat()
  const asOf = useAsOf()
  const momentText = useMomentText()
  const show = useShowMoment()
  const now = useNow()
  const [isChoosing, setChoosing] = useState(false)
  // Asked for when the menu opens, because most pages are about now.
  const [hasOpened, setOpened] = useState(false)
  const { data: recorded } = useQuery({ ...firstChangeQuery, enabled: hasOpened })
  const tooEarly = (time: number) => {
    if (recorded === undefined) return undefined
    if (recorded === null) return t.nothing
    return time < Date.parse(recorded) ? t.tooEarly(dateTime(recorded)) : undefined
  }
  const itemFor = (ms: number, text: string) => {
    const time = now - ms
    return (
      <MenuItem disabledReason={tooEarly(time)} onSelect={() => show(toMoment(time))}>
        {text}
      </MenuItem>
    )
  }
  return (
    <>
      <Menu
        label={t.label}
        onOpen={() => setOpened(true)}
        trigger={(properties) => (
          <Button icon="changes" {...properties}>
            {asOf === undefined ? t.now : momentText(asOf)}
          </Button>
        )}
      >
        <MenuItem checked={asOf === undefined} onSelect={() => show(undefined)}>
          {t.now}
        </MenuItem>
        {itemFor(hour, t.hourAgo)}
        {itemFor(day, t.dayAgo)}
        <MenuItem disabledReason={tooEarly(now)} onSelect={() => setChoosing(true)}>
          {t.choose}
        </MenuItem>
      </Menu>
      {isChoosing && (
        <TimeDialog
          asOf={asOf}
          onShow={(time) => {
            setChoosing(false)
            show(time)
          }}
          onClose={() => setChoosing(false)}
        />
      )}
    </>
  )
}

interface Props {
  readonly asOf: string | undefined
  readonly onShow: (asOf: string) => void
  readonly onClose: () => void
}

/** A time of the recorded ones, by typing or by a slider. */
function TimeDialog({ asOf, onShow, onClose }: Props) {
  const { past: t } = useMessages()
  const { dateTime } = useFormat()
  const [now] = useState(() => Date.now())
  const { data: recorded } = useQuery(firstChangeQuery)
  const [typed, setText] = useState<string>()
  const first = recorded ? Date.parse(recorded) : now - 30 * day
  const shown = (asOf !== undefined && readMoment(asOf, now)) || now - hour
  // The first whole minute, so that the dialog does not open with an error.
  const firstMinute = Math.ceil(first / minute) * minute
  const text = typed ?? toLocalTime(Math.min(Math.max(shown, firstMinute), now))
  const time = fromLocalTime(text)
  const problem =
    time === undefined
      ? t.notATime
      : time > now
        ? t.inFuture
        : recorded && time < first
          ? t.tooEarly(dateTime(recorded))
          : undefined
  return (
    <FormDialog
      title={t.title}
      submit={t.show}
      busy={false}
      error={null}
      disabledReason={problem}
      onSubmit={() => problem === undefined && time !== undefined && onShow(toMoment(time))}
      onClose={onClose}
    >
      <TextField
        label={t.time}
        type="datetime-local"
        required
        value={text}
        max={toLocalTime(now)}
        error={typed === undefined ? undefined : problem}
        onChange={(event) => setText(event.target.value)}
      />
      <TextField
        label={t.recorded}
        type="range"
        required
        min={Math.ceil(first / minute)}
        max={Math.floor(now / minute)}
        value={Math.floor((time ?? now) / minute)}
        aria-valuetext={time === undefined ? '' : dateTime(new Date(time).toISOString())}
        {...(recorded && { hint: t.since(dateTime(recorded)) })}
        onChange={(event) => setText(toLocalTime(Number(event.target.value) * minute))}
      />
    </FormDialog>
  )
}
