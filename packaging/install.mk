# `make install` and what is made of it. The variables are those of the GNU coding standards, and DESTDIR stands before
# all of them: make install DESTDIR=/tmp/tree PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu
DESTDIR ?=
PREFIX = /usr/local
BINDIR = $(PREFIX)/bin
LIBDIR = $(PREFIX)/lib
INCLUDEDIR = $(PREFIX)/include
DATADIR = $(PREFIX)/share
MANDIR = $(DATADIR)/man
DOCDIR = $(DATADIR)/doc/ciphertune
ZSHDIR = $(DATADIR)/zsh/site-functions
# Where OpenSSL looks for providers that are named without a path, if it was installed below the same LIBDIR.
MODULESDIR = $(LIBDIR)/ossl-modules

built := $(or $(CARGO_TARGET_DIR),target)
release := $(built)/release

.PHONY: install uninstall deb

install uninstall: export DESTDIR := $(DESTDIR)
install uninstall: export PREFIX := $(PREFIX)
install uninstall: export BINDIR := $(BINDIR)
install uninstall: export LIBDIR := $(LIBDIR)
install uninstall: export INCLUDEDIR := $(INCLUDEDIR)
install uninstall: export DATADIR := $(DATADIR)
install uninstall: export MANDIR := $(MANDIR)
install uninstall: export DOCDIR := $(DOCDIR)
install uninstall: export ZSHDIR := $(ZSHDIR)
install uninstall: export MODULESDIR := $(MODULESDIR)

install: ## Installs what was built: DESTDIR= PREFIX=/usr/local LIBDIR= …
	packaging/install install "$(release)"

uninstall: ## Removes what install put there; takes the same variables
	packaging/install uninstall "$(release)"

deb: build ## Debian packages of what was built: target/release/*.deb
	packaging/deb "$(release)"
