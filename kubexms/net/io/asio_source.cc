// The one place where Asio's non-template code is compiled (BOOST_ASIO_SEPARATE_COMPILATION).

#include <boost/asio/impl/src.hpp>
