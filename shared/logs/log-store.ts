export { recordApiRequest } from './api-request-log.ts'
