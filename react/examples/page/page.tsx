import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Uploads } from './uploads.tsx';

const root = document.querySelector('#root');
if (root === null) throw new Error('the page has no element #root');
createRoot(root).render(
  <StrictMode>
    <Uploads />
  </StrictMode>,
);
