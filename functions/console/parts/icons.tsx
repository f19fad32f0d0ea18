/** Paths of the icons, drawn with a stroke in a square of 16. */
const paths = {
  overview: 'M2.5 2.5h4.5v5H2.5zM9 2.5h4.5v3H9zM9 7.5h4.5v6H9zM2.5 9.5h4.5v4H2.5z',
  access:
    'M4.4 5.6a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4zM11.6 9.7a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4zM4.4 13.8a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4zM6 4.7l4.1 2.5M6 11.3l4.1-2.5',
  resources: 'M2.5 4.5h11v7h-11zM5 14h6M8 11.5V14',
  policies: 'M8 1.8l5.2 2v4c0 3.2-2.2 5.4-5.2 6.4-3-1-5.2-3.2-5.2-6.4v-4zM5.8 8l1.6 1.6L10.4 6.5',
  groups:
    'M6 7.2a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8zM1.8 13.5c0-2.4 1.8-3.9 4.2-3.9s4.2 1.5 4.2 3.9M10.6 7a2 2 0 1 0-.6-3.9M11.6 9.7c1.6.3 2.6 1.6 2.6 3.3',
  actors: 'M8 7.6a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4zM2.9 14c0-2.8 2.2-4.4 5.1-4.4s5.1 1.6 5.1 4.4',
  sites:
    'M8 14.2c2.9-3 4.6-5.4 4.6-7.6a4.6 4.6 0 0 0-9.2 0c0 2.2 1.7 4.6 4.6 7.6zM8 8.4a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4z',
  gateways: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01M8 5h3M8 11h3',
  clients: 'M3.5 3h9v7h-9zM1.8 13h12.4',
  providers: 'M6 10.2a3.2 3.2 0 1 1 2.8-4.8L14.2 5.4v2.4h-1.8v2H10V7.9M5.6 7h.01',
  devices: 'M4.5 1.8h7v12.4h-7zM7.3 12.2h1.4',
  directories: 'M2.5 3.5h4l1.2 1.5h5.8v8h-11zM5 8h6M5 10.5h4',
  postureProviders: 'M4.5 1.8h7v6.5M4.5 1.8v12.4h2.5M9 12l1.6 1.6L14 10.2',
  tokens: 'M5.5 5.5L3 8l2.5 2.5M10.5 5.5L13 8l-2.5 2.5M9 4l-2 8',
  settings:
    'M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 1.8v1.7M8 12.5v1.7M14.2 8h-1.7M3.5 8H1.8M12.4 3.6l-1.2 1.2M4.8 11.2l-1.2 1.2M12.4 12.4l-1.2-1.2M4.8 4.8L3.6 3.6',
  flows: 'M2 5.5h10M9.5 3l2.5 2.5L9.5 8M14 10.5H4M6.5 8L4 10.5 6.5 13',
  refusals: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM3.8 3.8l8.4 8.4',
  changes: 'M8 4.5V8l2.5 1.5M2.6 6.5A5.7 5.7 0 1 1 2.3 9M2.2 3.5v3h3',
  sessions: 'M9.5 2.5h4v11h-4M2.5 8h7M7 5.5L9.5 8 7 10.5',
  requests: 'M2.5 3h11v10h-11zM5 6l2 2-2 2M8.5 10.5h2.5',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  add: 'M8 3v10M3 8h10',
  next: 'M6 3.5L10.5 8 6 12.5',
  previous: 'M10 3.5L5.5 8l4.5 4.5',
  up: 'M4.5 9.5L8 6l3.5 3.5',
  down: 'M4.5 6.5L8 10l3.5-3.5',
  find: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5l3 3',
  external: 'M9 3h4v4M13 3L7.5 8.5M11.5 9v4h-8.5V4.5H7',
} as const

export type IconName = keyof typeof paths

/** Shows a decorative icon. The text beside it names the action. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  )
}
