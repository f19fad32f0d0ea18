/** Screens and parts of the logs, whose code is in one file that is loaded after that of the other screens. */
export { EntryScreen } from '../logs/entry-screen.tsx'
export { FlowsPart, HistoryPart } from '../logs/object-log.tsx'
export { ChangesScreen, RequestsScreen, SessionsScreen } from './changes/changes.tsx'
export { FlowsScreen } from './flows/flows.tsx'
export { RecentChanges } from './overview/recent-changes.tsx'
export { RefusalsScreen } from './refusals/refusals.tsx'
