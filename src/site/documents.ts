import { createApiCatalog } from './api-catalog.ts'
import type { DiscoveryContext } from './context.ts'
import { createHome, createRobots, createSecurityTxt, createStylesheet, createWebsiteForm } from './courtesies.ts'
import type { Document } from './document.ts'
import { createIcons } from './icon.ts'
import { createLlmsTxt } from './llms.ts'
import { createOpenApi } from './openapi/document.ts'
import { createPages } from './pages.ts'

export type { DiscoveryContext } from './context.ts'

/** All documents of the public listener. The lead paths and `/api/v1` are not documents. Each is rendered once. */
export function createDocuments(context: DiscoveryContext): Document[] {
  return [
    createHome(context),
    createApiCatalog(context),
    createOpenApi(context),
    createLlmsTxt(context),
    ...createPages(context),
    createSecurityTxt(context),
    createRobots(context),
    createWebsiteForm(context),
    createStylesheet(),
    ...createIcons(),
  ]
}
