import type { ComponentType } from 'react'
import { Route, Switch } from 'wouter'
import { type Collection, fillAddress } from '../collection/collection.ts'
import { DetailScreen } from '../collection/detail-screen.tsx'
import { FormScreen } from '../collection/form-screen.tsx'
import { ListScreen } from '../collection/list-screen.tsx'
import { loadLogs } from '../logs/log-parts.tsx'
import { ActionLink } from '../parts/controls.tsx'
import { lazyScreen } from '../parts/lazy-screen.ts'
import { Empty } from '../parts/states.tsx'
import { texts } from '../texts/texts.ts'
import { actors } from './actors/actors.tsx'
import { clients } from './clients/clients.tsx'
import { devices } from './devices/devices.tsx'
import { postureProviders, postureSource } from './devices/posture-providers.tsx'
import { directoriesOf, directoryKinds, directorySource } from './directories/directories.tsx'
import { allGateways, gateways } from './gateways/gateways.tsx'
import { groups } from './groups/groups.tsx'
import { OverviewScreen } from './overview/overview.tsx'
import { policies } from './policies/policies.tsx'
import { DirectoryList, ProviderList } from './providers/kind-list.tsx'
import { providerKinds, providersOf } from './providers/providers.tsx'
import { resources } from './resources/resources.tsx'
import { RunScreen } from './runs/run-screen.tsx'
import type { RunSource } from './runs/run-source.ts'
import { SettingsScreen } from './settings/settings.tsx'
import { sites } from './sites/sites.tsx'
import { tokens } from './tokens/tokens.tsx'

/** Collections with the screens list, form and details. A screen is added by copying a folder and naming it here. */
const collections: Collection[] = [
  resources,
  policies,
  groups,
  actors,
  sites,
  gateways,
  allGateways,
  clients,
  ...providerKinds.map(providersOf),
  devices,
  tokens,
  ...directoryKinds.map(directoriesOf),
  postureProviders,
]

const runSources: RunSource[] = [...directoryKinds.map(directorySource), postureSource]

const ownScreens: Record<string, ComponentType> = {
  '/': OverviewScreen,
  '/access': lazyScreen(async () => (await import('./access/explorer.tsx')).Explorer),
  '/providers': ProviderList,
  '/settings': SettingsScreen,
  '/directories': DirectoryList,
  ...Object.fromEntries(
    runSources.map((source) => [`${source.address}/:id/runs/:run_id`, () => <RunScreen source={source} />]),
  ),
}

const EntryScreen = lazyScreen(async () => (await loadLogs()).EntryScreen)

const logScreens: Record<string, ComponentType> = {
  '/flows': lazyScreen(async () => (await loadLogs()).FlowsScreen),
  '/refusals': lazyScreen(async () => (await loadLogs()).RefusalsScreen),
  '/changes': lazyScreen(async () => (await loadLogs()).ChangesScreen),
  '/sessions': lazyScreen(async () => (await loadLogs()).SessionsScreen),
  '/requests': lazyScreen(async () => (await loadLogs()).RequestsScreen),
  ...Object.fromEntries(
    ['/flows', '/changes', '/sessions', '/requests'].map((path) => [`${path}/:log_id`, EntryScreen]),
  ),
}

/** Screens of a collection by their paths, without those whose operation the collection does not have. */
function routesOf(collection: Collection): Array<[path: string, screen: ComponentType]> {
  const { address, routes } = collection
  const screens: Array<[path: string, screen: ComponentType]> = [
    [address, () => <ListScreen collection={collection} />],
  ]
  if (routes.create) screens.push([`${address}/new`, () => <FormScreen collection={collection} action="create" />])
  if (routes.read) screens.push([`${address}/:id`, () => <DetailScreen collection={collection} />])
  if (routes.update) screens.push([`${address}/:id/edit`, () => <FormScreen collection={collection} action="update" />])
  return screens
}

const routes = [...Object.entries({ ...ownScreens, ...logScreens }), ...collections.flatMap(routesOf)]

/** Path patterns of all screens. */
export const routePaths = routes.map(([path]) => path)

/** Shows the screen of the current address. */
export default function Screens() {
  return (
    <Switch>
      {routes.map(([path, Screen]) => (
        <Route path={path} key={path}>
          {(params) => <Screen key={fillAddress(path, params as Record<string, string>)} />}
        </Route>
      ))}
      <Route>
        <Empty isPage title={texts.states.notFound} action={<ActionLink to="/">{texts.overview.title}</ActionLink>}>
          {texts.states.notFoundHint}
        </Empty>
      </Route>
    </Switch>
  )
}
