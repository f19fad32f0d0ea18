import { parentPort } from 'node:worker_threads'
import type { RoutedSource } from '#functions/operations.ts'
// Loads the CDK before the operations arrive.
import '#infra/without-code.ts'
import { serializeDeployment } from '../../template/deployment.ts'
import { synthesize } from './synthesize.ts'

parentPort?.once('message', async (operations: RoutedSource[]) => {
  parentPort?.postMessage(serializeDeployment(await synthesize(operations)))
})
