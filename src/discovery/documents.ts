import { createApiCatalog } from './api-catalog.ts'
import type { DiscoveryContext } from './context.ts'
import { createHome, createRobots, createSecurityTxt } from './courtesies.ts'
import type { Document } from './document.ts'
import { createLlmsTxt } from './llms.ts'
import { createOpenApi } from './openapi/document.ts'
import { createApiDocs } from './pages/api-docs/page.ts'
import { createDevelopers } from './pages/developers.ts'
import { createPrivacy } from './pages/privacy.ts'
import { createProblemPages } from './pages/problems.ts'
import { createTerms } from './pages/terms.ts'
import { createIcons } from './site/icon.ts'
import { renderPage } from './site/layout.ts'
import { createStylesheet } from './site/stylesheet.ts'

export type { DiscoveryContext } from './context.ts'

/** Everything that the public listener shows but the lead paths and `/api/v1`; rendered once, at start. */
export function createDocuments(context: DiscoveryContext): Document[] {
  const pages = [
    createDevelopers(context),
    createApiDocs(context),
    createTerms(context),
    createPrivacy(context),
    ...createProblemPages(context),
  ]
  return [
    createHome(context),
    createApiCatalog(context),
    createOpenApi(context),
    createLlmsTxt(context),
    ...pages.map((page) => renderPage(page, context)),
    createSecurityTxt(context),
    createRobots(context),
    createStylesheet(),
    ...createIcons(),
  ]
}
