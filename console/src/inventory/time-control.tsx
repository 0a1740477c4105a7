import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { firstChangeQuery } from '../api/queries/moment.ts'
import { FormDialog } from '../form/form-dialog.tsx'
import { useFormat } from '../messages/use-format.ts'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { fromLocalTime, minute, toLocalTime, toMoment } from './local-time.ts'
import { useAsOf, useShowMoment } from './use-as-of.ts'

const hour = 3_600_000
const day = 24 * hour

/** Chooses the moment that a list shows: now, or a time of the past. */
export function TimeControl() {
  const { past: t } = useMessages()
  const { dateTime } = useFormat()
  const asOf = useAsOf()
  const show = useShowMoment()
  const [isChoosing, setChoosing] = useState(false)
  const ago = (ms: number) => show(toMoment(Date.now() - ms))
  return (
    <>
      <Menu
        label={t.label}
        trigger={(properties) => (
          <Button icon="changes" {...properties}>
            {asOf === undefined ? t.now : dateTime(asOf)}
          </Button>
        )}
      >
        <MenuItem checked={asOf === undefined} onSelect={() => show(undefined)}>
          {t.now}
        </MenuItem>
        <MenuItem onSelect={() => ago(hour)}>{t.hourAgo}</MenuItem>
        <MenuItem onSelect={() => ago(day)}>{t.dayAgo}</MenuItem>
        <MenuItem onSelect={() => setChoosing(true)}>{t.choose}</MenuItem>
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
  const [text, setText] = useState(toLocalTime(asOf === undefined ? now - hour : Date.parse(asOf)))
  const first = recorded ? Date.parse(recorded) : now - 30 * day
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
        error={problem}
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
