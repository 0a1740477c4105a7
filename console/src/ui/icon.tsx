/** Paths on a 16 px grid with one stroke width. */
const shapes = {
  search: 'M7 12.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM11 11l3.5 3.5',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  down: 'M4 6l4 4 4-4',
  right: 'M6 4l4 4-4 4',
  up: 'M4 10l4-4 4 4',
  menu: 'M2 4h12M2 8h12M2 12h12',
  more: 'M3 8a.6.6 0 1 0 .01 0M8 8a.6.6 0 1 0 .01 0M13 8a.6.6 0 1 0 .01 0',
  refresh: 'M13.5 8a5.5 5.5 0 1 1-1.6-3.9M13.5 1.5v3h-3',
  download: 'M8 2v8M4.5 7L8 10.5 11.5 7M2.5 13.5h11',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  rows: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  filter: 'M2 3h12L9.5 8.5V13l-3-1.5v-3z',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  external: 'M9 2.5h4.5V7M13.5 2.5L7.5 8.5M11 9.5v4H2.5V5h4',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  moon: 'M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7Z',
  screen: 'M2 3h12v8H2zM5.5 14h5',
  user: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.5 14a5.5 5.5 0 0 1 11 0',
  warning: 'M8 2l6.5 11.5h-13zM8 6.5v3M8 11.5h.01',
  info: 'M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM8 7.5V11M8 5h.01',
  star: 'M8 1.8l1.9 3.9 4.3.6-3.1 3 .7 4.3L8 11.6l-3.8 2 .7-4.3-3.1-3 4.3-.6z',
  key: 'M6 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM9.5 8h5v2.5M12 8v2',
  trash: 'M2.5 4h11M6 4V2.5h4V4M4 4l.7 9.5h6.6L12 4M6.7 6.5v5M9.3 6.5v5',
  edit: 'M11 2.5l2.5 2.5-8 8H3v-2.5z',
  pin: 'M8 14.5s4.5-4.2 4.5-8a4.5 4.5 0 0 0-9 0c0 3.8 4.5 8 4.5 8ZM8 8a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z',
  chart: 'M2.5 13.5h11M4.5 11V7.500M8 11V3.500M11.5 11V5.5',
  play: 'M5 3l8 5-8 5z',
  stop: 'M4 4h8v8H4z',
  power: 'M8 2v5M4.800 4a5 5 0 1 0 6.400 0',
  tasks: 'M2 4.500l1.200 1.200L5.500 3.500M2 11.500l1.200 1.200L5.500 10.500M8 4.500h6M8 11.500h6',
  servers: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01',
  layers: 'M8 2l6 3-6 3-6-3zM2 8l6 3 6-3M2 11l6 3 6-3',
  cloud: 'M4.5 12.500a3 3 0 0 1-.3-5.98 4 4 0 0 1 7.75 .7A2.7 2.7 0 0 1 11.5 12.500z',
  chip: 'M4.5 4.5h7v7h-7zM6.500 2v2.500M9.500 2v2.500M6.500 11.500V14M9.500 11.500V14M2 6.500h2.500M2 9.500h2.500M11.500 6.500H14M11.500 9.500H14',
  box: 'M8 2l5.500 3v6L8 14l-5.500-3V5zM2.500 5L8 8l5.500-3M8 8v6',
  windows: 'M2.500 2.500h8v8h-8zM10.500 5.500h3v8h-8v-3',
  stack: 'M2.500 9V3h11v6M2.500 12v1h11v-1M6 6h4',
  flask: 'M6.500 2v4.500L3 13.500h10L9.500 6.500V2M5.500 2h5M5 10h6',
  changes: 'M2.5 8a5.5 5.5 0 1 0 1.6-3.900M2.5 1.500v3h3M8 5v3.200l2.200 1.300',
  activity: 'M1.5 8.500h3l2-5 3 9 2-4h3',
  command:
    'M5 5h6v6H5zM5 5H3.500A1.5 1.5 0 1 1 5 3.500zM11 5V3.500A1.5 1.5 0 1 1 12.5 5zM11 11h1.500A1.5 1.5 0 1 1 11 12.500zM5 11v1.500A1.5 1.5 0 1 1 3.5 11z',
} as const

export type IconName = keyof typeof shapes

interface Props {
  readonly name: IconName
  readonly size?: number
}

/** Hidden from screen readers: there is always a label beside it. */
export function Icon({ name, size = 16 }: Props) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={shapes[name]} />
    </svg>
  )
}
