import type { Collection, OwnPart } from '../collection/collection.ts'
import { lazyScreen } from '../parts/lazy-screen.ts'
import { texts } from '../texts/texts.ts'

/** Loads the screens of the logs, whose code is in a file of its own. */
export const loadLogs = () => import('../screens/log-screens.ts')

const history: OwnPart = {
  key: 'history',
  label: texts.labels.history,
  noun: 'changes',
  scope: 'logs',
  render: lazyScreen(async () => (await loadLogs()).HistoryPart),
}

const flows: OwnPart = {
  key: 'flows',
  noun: 'flows',
  scope: 'logs',
  render: lazyScreen(async () => (await loadLogs()).FlowsPart),
}

const withFlows = ['resources', 'policies', 'actors', 'gateways', 'clients']
/** Objects of an inventory, whose changes are not logged (L6.2). */
const unlogged = ['devices']

/** Parts of a detail that the logs contain: the flows of an object, and its history (K6). */
export const logPartsOf = ({ noun }: Collection): OwnPart[] => [
  ...(withFlows.includes(noun) ? [flows] : []),
  ...(unlogged.includes(noun) ? [] : [history]),
]
